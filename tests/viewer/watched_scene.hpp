#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "apps/viewer/server.hpp"
#include "apps/viewer/viewing.hpp"
#include "places.hpp"

namespace stickslip::test {

/// A scene that runs and is served, as `stickslip run` does it.
class WatchedScene {
 public:
  explicit WatchedScene(const std::string& scene, bool starts_paused = false)
      : folder_(std::filesystem::temp_directory_path() /
                ("stickslip-viewer-test-" + std::to_string(::getpid()))),
        viewing_(options(scene, folder_, starts_paused), exchange_),
        server_(serving(folder_), exchange_),
        thread_([this] { viewing_.run(stop_); }) {}
  ~WatchedScene() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  WatchedScene(const WatchedScene&) = delete;
  WatchedScene& operator=(const WatchedScene&) = delete;

  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::uint16_t port() const { return server_.port(); }
  const std::string& token() const { return server_.token(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
  const std::filesystem::path& folder() const { return folder_; }
  viewer::Exchange& exchange() { return exchange_; }
  /// Only once it has stopped.
  const viewer::Viewing& viewing() const { return viewing_; }

 private:
  static viewer::ViewingOptions options(const std::string& scene,
                                        const std::filesystem::path& folder, bool starts_paused) {
    viewer::ViewingOptions options;
    options.scene = std::string(STICKSLIP_SOURCE_DIR "/scenes/") + scene + ".toml";
    options.recordings = folder;
    options.starts_paused = starts_paused;
    return options;
  }
  static viewer::ServerOptions serving(const std::filesystem::path& folder) {
    viewer::ServerOptions options;
    options.recordings = folder;
    return options;
  }

  std::filesystem::path folder_;
  viewer::Exchange exchange_;
  viewer::Viewing viewing_;
  viewer::Server server_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace stickslip::test
