/* What the two shared libraries export.
 *
 * Every function declared in include/vta carries VTA_API; everything else is hidden, and the version
 * scripts beside the libraries (src/libvta.map, src/libvtac.map) list the exported names once more. */
#ifndef VTA_EXPORT_H
#define VTA_EXPORT_H

#if defined(__GNUC__)
#define VTA_API __attribute__((visibility("default")))
#define VTA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define VTA_MUST_USE __attribute__((warn_unused_result))
#else
#define VTA_API
#define VTA_PRINTF(fmt, args)
#define VTA_MUST_USE
#endif

#ifdef __cplusplus
#define VTA_BEGIN extern "C" {
#define VTA_END }
#else
#define VTA_BEGIN
#define VTA_END
#endif

#endif
