/** @file
 *  Status and error text: how every fallible function of the library reports.
 *
 *  A function that can fail returns an `olo_status` and takes an `olo_error *` as its last
 *  argument. The caller owns the error; NULL is allowed when the text is not wanted. On success the
 *  error is left alone. The library never prints, never exits and never aborts.
 */
#ifndef OLOID_STATUS_H
#define OLOID_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what the library exports. */
#if defined(__GNUC__)
#define OLO_API __attribute__((visibility("default")))
#else
#define OLO_API
#endif

/** What happened. The list, with exit codes and texts, is in `errors.def`. */
typedef enum olo_status {
/** @cond */
#define OLO_ERROR(name, exit_code, text) OLO_##name,
#include "errors.def"
#undef OLO_ERROR
    /** @endcond */
    OLO_STATUS_COUNT /**< how many there are */
} olo_status;

/** Room for a text, with its end. */
enum { OLO_ERROR_TEXT_SIZE = 2048 };

/** A status with the reason in words, naming the thing in the model. Owned by the caller; starts
 * as `{0}`. */
typedef struct olo_error {
    olo_status status;              /**< what the function returned */
    char text[OLO_ERROR_TEXT_SIZE]; /**< why, in one line */
} olo_error;

/** Name of a status, for example "BAD_INPUT". Static storage. */
OLO_API const char *olo_status_name(olo_status status);

/** What a status means, in one short sentence. Static storage. */
OLO_API const char *olo_status_text(olo_status status);

/** Exit code that the command uses for a status. */
OLO_API int olo_status_exit_code(olo_status status);

#ifdef __cplusplus
}
#endif
#endif
