/** @file
 *  Status and error text: how functions of the library report failure.
 *
 *  A function that can fail returns an `olo_status` and takes an `olo_error *` as its last
 *  argument. The caller owns the error; NULL is allowed if the text is not needed. On success the
 *  error is not changed. The library never prints, exits or aborts.
 */
#ifndef OLOID_STATUS_H
#define OLOID_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the functions that the library exports. */
#if defined(__GNUC__)
#define OLO_API __attribute__((visibility("default")))
#else
#define OLO_API
#endif

/** Status of a call. The list, with exit codes and texts, is in `errors.def`. */
typedef enum olo_status {
/** @cond */
#define OLO_ERROR(name, exit_code, text) OLO_##name,
#include "errors.def"
#undef OLO_ERROR
    /** @endcond */
    OLO_STATUS_COUNT /**< number of statuses */
} olo_status;

/** Capacity of an error text, with its terminating zero. */
enum { OLO_ERROR_TEXT_SIZE = 2048 };

/** A status with its reason as a text, which names the element of the model. Owned by the caller;
 * initialise it with `{0}`. */
typedef struct olo_error {
    olo_status status;              /**< status that the function returned */
    char text[OLO_ERROR_TEXT_SIZE]; /**< reason, one line */
} olo_error;

/** Name of a status, for example "BAD_INPUT". Static storage. */
OLO_API const char *olo_status_name(olo_status status);

/** Meaning of a status, one short sentence. Static storage. */
OLO_API const char *olo_status_text(olo_status status);

/** Exit code that the command uses for a status. */
OLO_API int olo_status_exit_code(olo_status status);

#ifdef __cplusplus
}
#endif
#endif
