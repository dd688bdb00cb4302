#pragma once

#include <optional>

namespace stickslip::bench {

/// What several rows are taken from, made when the first of them asks for it.
template <class Thing>
class Shared {
 public:
  template <class Make>
  const Thing& get(Make&& make) {
    if (!thing_) thing_.emplace(make());
    return *thing_;
  }

 private:
  std::optional<Thing> thing_;
};

}  // namespace stickslip::bench
