#include "tests/support/locks.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>

#include "tests/support/sanitizer.hpp"

namespace {

thread_local std::size_t count = 0;

#if STICKSLIP_COUNTS
/// Counts a call, and makes it by the system's own function of that name.
template <class Object>
int counted(std::atomic<void*>& known, const char* name, Object* object) {
  ++count;
  void* function = known.load(std::memory_order_relaxed);
  if (function == nullptr) known = function = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<int (*)(Object*)>(function)(object);
}
#endif

}  // namespace

#if STICKSLIP_COUNTS
extern "C" {
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static std::atomic<void*> known;
  return counted(known, "pthread_mutex_lock", mutex);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static std::atomic<void*> known;
  return counted(known, "pthread_mutex_trylock", mutex);
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static std::atomic<void*> known;
  return counted(known, "pthread_rwlock_rdlock", lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static std::atomic<void*> known;
  return counted(known, "pthread_rwlock_wrlock", lock);
}
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  static std::atomic<void*> known;
  return counted(known, "pthread_spin_lock", lock);
}
int sem_wait(sem_t* semaphore) {
  static std::atomic<void*> known;
  return counted(known, "sem_wait", semaphore);
}
}
#endif

namespace stickslip::testing_support {

std::size_t lock_count() {
  return count;
}

bool counts_locks() {
  return STICKSLIP_COUNTS != 0;
}

}  // namespace stickslip::testing_support
