#include "stickslip/fem/blas.hpp"

#include <cblas.h>

extern "C" {
// LAPACK's Cholesky; its Fortran interface is all that OpenBLAS's own headers lack
// NOLINTNEXTLINE(readability-identifier-naming)
void dpotrf_(const char* uplo, const int* n, double* A, const int* lda, int* info);
}

namespace stickslip::blas {

namespace {

/// OpenBLAS would start threads of its own at the first large product. This holds for the whole
/// process.
void pin_to_one_thread() {
  static const bool is_pinned = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(is_pinned);
}

}  // namespace

int potrf_lower(int n, double* A, int lda) {
  pin_to_one_thread();
  int info = 0;
  dpotrf_("L", &n, A, &lda, &info);
  return info;
}

void trsm_right_lower_transposed(int m, int n, const double* L, int ldl, double* B, int ldb) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1.0, L, ldl, B,
              ldb);
}

void trsm_left_lower(bool transposed, int m, int n, const double* L, int ldl, double* B, int ldb) {
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans,
              CblasNonUnit, m, n, 1.0, L, ldl, B, ldb);
}

void syrk_lower_subtract(int n, int k, const double* A, int lda, double* C, int ldc) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, k, -1.0, A, lda, 1.0, C, ldc);
}

void gemm(bool transpose_A, int m, int n, int k, double alpha, const double* A, int lda,
          const double* B, int ldb, double beta, double* C, int ldc) {
  cblas_dgemm(CblasColMajor, transpose_A ? CblasTrans : CblasNoTrans, CblasNoTrans, m, n, k, alpha,
              A, lda, B, ldb, beta, C, ldc);
}

}  // namespace stickslip::blas
