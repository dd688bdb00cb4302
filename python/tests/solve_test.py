"""Contact problems from arrays, judged by code that the engine does not share."""
import json
import os
import pathlib
import threading
import time

import numpy as np
import pytest
import scipy.sparse
from conftest import ROOT, natural_map_error, random_problem, rescaled_error

import stickslip

FC3D = pathlib.Path(os.environ.get("STICKSLIP_FC3D", ROOT.parent / "shared/fc3d"))


def test_a_block_on_a_slope_slides_by_coulomb():
    # W = 1: the normal force closes the gap, friction is at its limit against the slip
    solution = stickslip.solve(np.eye(3), [-1.0, 3.0, 4.0], [0.5])
    assert solution.status == "converged"
    assert np.allclose(solution.r, [1.0, -0.3, -0.4])
    assert np.allclose(solution.u, [0.0, 2.7, 3.6])
    assert solution.r.dtype == np.float64 and solution.r.shape == (3,)


def test_an_open_contact_has_no_force():
    solution = stickslip.solve(np.eye(3), [1.0, 0.0, 0.0], [0.5])
    assert not solution.r.any()


@pytest.mark.parametrize("make", [
    np.asarray, np.asfortranarray, lambda W: W.tolist(), scipy.sparse.csr_matrix, scipy.sparse.csc_matrix,
    scipy.sparse.coo_matrix, scipy.sparse.lil_matrix, lambda W: scipy.sparse.bsr_matrix(W, blocksize=(3, 3)),
    scipy.sparse.csr_array])
def test_every_form_of_W_gives_the_same_bits(make):
    W, q, mu = random_problem(5, 1)
    assert np.array_equal(stickslip.solve(make(W), q, mu).r, stickslip.solve(W, q, mu).r)


def test_sparse_W_stays_sparse():
    W = scipy.sparse.block_diag([random_problem(1, seed)[0] for seed in range(8)], format="csr")
    problem = stickslip.Problem(W, np.tile([-1.0, 0.3, 0.2], 8), np.full(8, 0.4))
    assert scipy.sparse.issparse(problem.W)
    assert np.array_equal(problem.W.toarray(), W.toarray())
    r = problem.solve().r
    assert natural_map_error(W, problem.q, problem.mu, r) <= 1e-8
    assert np.allclose(r, stickslip.solve(W.toarray(), problem.q, problem.mu).r, atol=1e-7)


def test_W_need_not_be_symmetric():
    W, q, mu = random_problem(2, 3)
    W[0, 4] += 0.2
    problem = stickslip.Problem(W, q, mu)
    assert np.array_equal(problem.W, W)
    assert stickslip.contact_error(W, q, mu, problem.solve().r) <= 1e-8


@pytest.mark.parametrize("solver", ["auto", "gauss-seidel", "block-gauss-seidel"])
@pytest.mark.parametrize("criterion, judge", [("plain", natural_map_error), ("rescaled", rescaled_error)])
def test_solvers_reach_the_tolerance_that_was_asked(solver, criterion, judge):
    for seed in range(5):
        W, q, mu = random_problem(6, seed)
        solution = stickslip.solve(W, q, mu, 1e-7, solver=solver, criterion=criterion)
        assert solution.status == "converged" and solution.solver == solver
        assert judge(W, q, mu, solution.r) <= 1e-7
        assert solution.error == pytest.approx(judge(W, q, mu, solution.r), abs=1e-12)
        assert np.allclose(solution.u, W @ solution.r + q)


@pytest.mark.parametrize("solver", stickslip.solver_names)
def test_every_solver_knows_the_problem_without_friction(solver):
    W, q, _ = random_problem(4, 2)
    # normals alone are linked, so that tangents take no part
    for row in range(12):
        for column in range(12):
            if row % 3 or column % 3:
                W[row, column] = float(row == column)
    solution = stickslip.solve(W, q, np.zeros(4), solver=solver)
    assert solution.status == "converged", solution.message
    normal = solution.r[::3]
    gap = (W @ solution.r + q)[::3]
    assert (normal >= 0).all() and (gap > -1e-7).all() and abs(normal @ gap) < 1e-6


def test_error_is_that_of_any_force():
    W, q, mu = random_problem(4, 5)
    r = np.random.default_rng(6).normal(size=12)
    assert stickslip.contact_error(W, q, mu, r) == pytest.approx(natural_map_error(W, q, mu, r))
    assert stickslip.contact_error(W, q, mu, r, "rescaled") == pytest.approx(rescaled_error(W, q, mu, r))
    assert stickslip.contact_laws(W, q, mu, [-2.0] + [0.0] * 11)["adhesion_N"] == 2.0


def test_status_says_why_it_ended():
    W, q, mu = random_problem(40, 7)
    assert stickslip.solve(W, q, mu, solver="gauss-seidel", max_iterations=1).status == "max_iterations"
    assert stickslip.solve(W, q, mu, 0.0, solver="block-gauss-seidel", time_limit=1e-6).status == "deadline"
    # squeezed between two walls: no force keeps them apart
    squeezed = stickslip.solve([[1, 0, 0, -1, 0, 0], [0, 1, 0, 0, -1, 0], [0, 0, 1, 0, 0, -1],
                                [-1, 0, 0, 1, 0, 0], [0, -1, 0, 0, 1, 0], [0, 0, -1, 0, 0, 1]],
                               [-1, 0, 0, -1, 0, 0], [0.5, 0.5])
    assert squeezed.status == "failed" and "no force can keep these apart" in squeezed.message


def test_other_threads_go_on_during_a_solve():
    W, q, mu = random_problem(60, 4)
    ended = []
    thread = threading.Thread(target=lambda: ended.append(
        stickslip.solve(W, q, mu, 0.0, solver="block-gauss-seidel", time_limit=0.4, max_iterations=10**9)))
    thread.start()
    count = 0
    while not ended:
        count += 1
        time.sleep(1e-3)
    thread.join()
    assert count > 20 and ended[0].status == "deadline"


def test_a_warm_start_is_used():
    W, q, mu = random_problem(20, 8)
    cold = stickslip.solve(W, q, mu, 1e-9, solver="block-gauss-seidel")
    warm = stickslip.solve(W, q, mu, 1e-8, solver="block-gauss-seidel", start=cold.r)
    assert warm.iterations < cold.iterations


@pytest.mark.parametrize("call, words", [
    (lambda: stickslip.solve(np.eye(4), np.zeros(3), [0.1]), "W: is 4 x 4, must be 3 x 3"),
    (lambda: stickslip.solve(scipy.sparse.eye(6), np.zeros(3), [0.1]), "W: is 6 x 6, must be 3 x 3"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(4), [0.1]), "q: must be one row of 3"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [-0.1]), "mu"),
    (lambda: stickslip.solve(np.eye(3), [np.nan, 0, 0], [0.1]), "finite"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [0.1], solver="best"), "best"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [0.1], criterion="any"), "plain, rescaled"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [0.1], -1.0), "tolerance"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [0.1], time_limit=0.0), "time_limit"),
    (lambda: stickslip.solve(np.eye(3), np.zeros(3), [0.1], start=[1.0]), "start"),
    (lambda: stickslip.contact_error(np.eye(3), np.zeros(3), [0.1], [1.0]), "r: must be"),
    (lambda: stickslip.read_problem("nowhere.hdf5"), "nowhere.hdf5"),
])
def test_bad_input_is_told_in_one_line(call, words):
    with pytest.raises(stickslip.InputError) as told:
        call()
    assert isinstance(told.value, ValueError)
    assert words in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["problem.hdf5", "problem.npz"])
def test_files_hold_the_problem_to_the_bit(tmp_path, name):
    W, q, mu = random_problem(7, 9)
    r = stickslip.solve(W, q, mu).r
    stickslip.write_problem(tmp_path / name, W, q, mu, r)
    read = stickslip.read_problem(tmp_path / name)
    assert len(read) == 7
    assert np.array_equal(read.W, W) and np.array_equal(read.q, q) and np.array_equal(read.mu, mu)
    if name.endswith(".hdf5"):
        assert np.array_equal(read.r, r)


def test_the_program_solves_what_was_written(tmp_path, program):
    W, q, mu = random_problem(7, 9)
    stickslip.write_problem(tmp_path / "problem.hdf5", W, q, mu)
    line = json.loads(program("solve", tmp_path / "problem.hdf5", "--json"))
    solution = stickslip.solve(W, q, mu)
    assert line["error"] == solution.error and line["iterations"] == solution.iterations


@pytest.mark.parametrize("name, tolerance", [("Capsules-i100-1090", 1e-6), ("KaplasTower-i1061-4", 1e-6),
                                             ("clip_seated_mu08", 1e-8), ("synth_dense_m0050a", 1e-8)])
def test_real_problems_are_solved(name, tolerance):
    path = FC3D / f"{name}.hdf5"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    problem = stickslip.Problem.load(path)
    solution = problem.solve(tolerance)
    assert solution.status == "converged"
    W = problem.W.toarray() if scipy.sparse.issparse(problem.W) else problem.W
    assert natural_map_error(W, problem.q, problem.mu, solution.r) <= tolerance
    assert np.array_equal(stickslip.solve(W, problem.q, problem.mu, tolerance).r, solution.r)
