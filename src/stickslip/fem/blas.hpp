#pragma once

// The few BLAS and LAPACK routines in use, column-major, single-threaded: parallel work is
// split above them, so that results do not depend on how many threads OpenBLAS would take.

namespace stickslip::blas {

/// Lower Cholesky factor of the n x n matrix in place. 0, or the order of the first leading
/// minor that is not positive.
int potrf_lower(int n, double* A, int lda);

/// B <- B L^-T with L (n x n) lower triangular, B (m x n).
void trsm_right_lower_transposed(int m, int n, const double* L, int ldl, double* B, int ldb);

/// B <- L^-1 B, or L^-T B when transposed, with L (m x m) lower triangular, B (m x n).
void trsm_left_lower(bool transposed, int m, int n, const double* L, int ldl, double* B, int ldb);

/// C <- C - A A^T on the lower triangle, A (n x k).
void syrk_lower_subtract(int n, int k, const double* A, int lda, double* C, int ldc);

/// C <- alpha op(A) B + beta C, op(A) is m x k, B is k x n.
void gemm(bool transpose_A, int m, int n, int k, double alpha, const double* A, int lda,
          const double* B, int ldb, double beta, double* C, int ldc);

}  // namespace stickslip::blas
