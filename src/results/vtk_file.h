/* Files of VTK's XML formats, with numbers in base64. */
#ifndef OLO_RESULTS_VTK_FILE_H
#define OLO_RESULTS_VTK_FILE_H

#include <stdint.h>

#include "base/text.h"

/* Initialise with `{0}`; it is reused for every file. */
typedef struct olo_vtk_file {
    olo_text text;
    olo_text scratch;
} olo_vtk_file;

/* Begins the file, "PolyData" or "Collection", and ends it. */
void olo_vtk_begin(olo_vtk_file *file, const char *type);
void olo_vtk_end(olo_vtk_file *file, const char *type);

/* Arrays of `tuples` times `components` numbers. */
void olo_vtk_doubles(olo_vtk_file *file, const char *name, int components, const double *values,
                     size_t tuples);
void olo_vtk_integers(olo_vtk_file *file, const char *name, const int32_t *values, size_t tuples);
/* Texts, which are added by olo_vtk_word between these calls. */
void olo_vtk_words_begin(olo_vtk_file *file);
void olo_vtk_word(olo_vtk_file *file, const char *word);
void olo_vtk_words_end(olo_vtk_file *file, const char *name, size_t words);

void olo_vtk_free(olo_vtk_file *file);

#endif
