#pragma once

// whether a sanitizer replaces functions of the system, which can then not be counted
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STICKSLIP_COUNTS 0
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STICKSLIP_COUNTS 0
#endif
#ifndef STICKSLIP_COUNTS
#define STICKSLIP_COUNTS 1
#endif
