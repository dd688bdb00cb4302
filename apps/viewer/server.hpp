#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/viewer/exchange.hpp"

namespace stickslip::viewer {

inline constexpr std::uint16_t usual_port = 8484;

struct ServerOptions {
  std::string address;                              ///< empty: 127.0.0.1 and ::1
  std::uint16_t port = 0;                           ///< 0: any that is free
  std::string token;                                ///< empty: a new one
  std::filesystem::path recordings = "recordings";  ///< where exported tables are
};

/// Serves the page and what it shows, in a thread of its own at normal priority. The exchange must
/// outlive it.
class Server {
 public:
  /// Throws InputError where the address cannot be had.
  Server(const ServerOptions& options, Exchange& exchange);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  const std::string& token() const;
  /// Where the page is, with its token.
  std::string url() const;

 private:
  class Works;
  std::unique_ptr<Works> works_;
};

}  // namespace stickslip::viewer
