/* Files of VTK's XML formats. An array is the base64 of its size in bytes (64 bits) and its numbers
 * as they are in memory; the header of the file states the byte order. */
#include "results/vtk_file.h"

#include <string.h>

void olo_vtk_begin(olo_vtk_file *file, const char *type)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    file->text.length = 0;
    olo_text_format(&file->text,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                    "byte_order=\"%s\" header_type=\"UInt64\">\n<%s>\n",
                    type, first == 1 ? "LittleEndian" : "BigEndian", type);
}

void olo_vtk_end(olo_vtk_file *file, const char *type)
{
    olo_text_format(&file->text, "</%s>\n</VTKFile>\n", type);
}

/* Writes the contents of the scratch buffer after 8 bytes for its size. */
static void write_array(olo_vtk_file *file, const char *tag, const char *type, const char *name,
                        int components, size_t tuples)
{
    const uint64_t size = file->scratch.length - sizeof size;
    if (file->scratch.failed) {
        file->text.failed = true;
        return;
    }
    memcpy(file->scratch.bytes, &size, sizeof size);
    olo_text_format(&file->text, "<%s type=\"%s\" Name=\"", tag, type);
    olo_text_escaped(&file->text, name);
    olo_text_format(&file->text,
                    "\" NumberOfComponents=\"%d\" NumberOfTuples=\"%zu\" format=\"binary\">",
                    components, tuples);
    olo_text_base64(&file->text, file->scratch.bytes, file->scratch.length);
    olo_text_format(&file->text, "</%s>\n", tag);
}

void olo_vtk_words_begin(olo_vtk_file *file)
{
    const uint64_t size = 0;
    file->scratch.length = 0;
    olo_text_add(&file->scratch, (const char *)&size, sizeof size);
}

static void write_numbers(olo_vtk_file *file, const char *type, const char *name, int components,
                          const void *values, size_t tuples, size_t width)
{
    olo_vtk_words_begin(file);
    olo_text_add(&file->scratch, values, tuples * (size_t)components * width);
    write_array(file, "DataArray", type, name, components, tuples);
}

void olo_vtk_doubles(olo_vtk_file *file, const char *name, int components, const double *values,
                     size_t tuples)
{
    write_numbers(file, "Float64", name, components, values, tuples, sizeof *values);
}

void olo_vtk_integers(olo_vtk_file *file, const char *name, const int32_t *values, size_t tuples)
{
    write_numbers(file, "Int32", name, 1, values, tuples, sizeof *values);
}

void olo_vtk_word(olo_vtk_file *file, const char *word)
{
    olo_text_add(&file->scratch, word, strlen(word) + 1);
}

void olo_vtk_words_end(olo_vtk_file *file, const char *name, size_t words)
{
    write_array(file, "Array", "String", name, 1, words);
}

void olo_vtk_free(olo_vtk_file *file)
{
    olo_text_free(&file->text);
    olo_text_free(&file->scratch);
}
