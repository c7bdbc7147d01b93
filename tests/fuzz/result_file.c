/* Results that HDF5 can read but with arbitrary contents and valid checksums; HDF5 itself is not
 * tested. Numbers, texts, shapes and attributes of a valid result are changed, or objects are
 * removed. Then everything is read, or written in one of the formats (by the length of the input),
 * or refused with a reason.
 *
 * An input is a list of changes of ten bytes: the kind of change, the dataset, the position (two
 * bytes) and a value of six bytes, see `change`. An input that begins with "file" is the file
 * itself. */
#include "files.h"

#include <hdf5.h>

#include "base/initialised.h"
#include "oloid/report.h"
#include "results/checksum_trailer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE = 10, CHANGES_MAX = 24, PATHS_MAX = 256, PATH_SIZE = 64 };

static struct {
    char path[96], out[112];
    uint8_t *bytes; /* a good result */
    size_t size;
    char paths[PATHS_MAX][PATH_SIZE]; /* its groups and datasets */
    size_t path_count;
} base;

static herr_t note_path(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group, (void)info, (void)context;
    if (base.path_count < PATHS_MAX && strlen(name) < PATH_SIZE)
        strcpy(base.paths[base.path_count++], name);
    return 0;
}

static void prepare(void)
{
    make_fuzz_folder();
    (void)snprintf(base.path, sizeof base.path, "%s/x.h5", fuzz_folder);
    (void)snprintf(base.out, sizeof base.out, "%s/out", fuzz_folder);
    fuzz_run run = prepare_run();
    const olo_run *how = olo_model_run(run.model);
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    require(olo_recorder_create(base.path, run.model, run.system, how, "", &recorder, NULL) ==
            OLO_OK);
    const olo_observer observer = olo_recorder_observer(recorder);
    require(olo_simulate(run.system, how, run.state, &observer, 1, &summary, NULL) == OLO_OK &&
            olo_recorder_finish(recorder, &summary, OLO_OK, NULL) == OLO_OK);
    olo_recorder_free(recorder);
    olo_state_free(run.state);
    olo_system_free(run.system);
    olo_model_free(run.model);
    base.bytes = take_file(base.path, &base.size);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(base.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    require(file >= 0 && H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, note_path, NULL) >= 0 &&
            base.path_count > 80);
    H5Fclose(file);
}

/* ---- changes ----------------------------------------------------------------------------------
 */

/* Changes bytes of a dataset or attribute that is small enough. */
static void change_bytes(uint8_t *bytes, size_t size, size_t at, const uint8_t *value)
{
    for (size_t i = 0; i < 6 && size > 0; i++)
        bytes[(at + i) % size] = value[i];
}

static size_t bytes_in(hid_t type, hid_t space)
{
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    return count > 0 ? H5Tget_size(type) * (size_t)count : 0;
}

static void change_contents(hid_t dataset, size_t at, const uint8_t *value)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const size_t size = bytes_in(type, space);
    uint8_t *bytes = size > 0 && size < 1 << 20 ? malloc(size) : NULL;
    if (bytes != NULL && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0) {
        change_bytes(bytes, size, 8 * at, value);
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    }
    free(bytes);
    H5Sclose(space);
    H5Tclose(type);
}

static void change_attribute(hid_t object, size_t which, size_t at, const uint8_t *value,
                             bool remove)
{
    const int count = H5Aget_num_attrs(object);
    if (count <= 0)
        return;
    const hsize_t index = which % (size_t)count;
    if (remove) {
        H5Adelete_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, index, H5P_DEFAULT);
        return;
    }
    const hid_t attribute =
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, index, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const size_t size = bytes_in(type, space);
    uint8_t *bytes = size > 0 && size < 1 << 20 ? malloc(size) : NULL;
    if (bytes != NULL && H5Aread(attribute, type, bytes) >= 0) {
        change_bytes(bytes, size, at, value);
        H5Awrite(attribute, type, bytes);
    }
    free(bytes);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* Another dataset of numbers or texts instead of an old one. */
static void replace(hid_t file, const char *path, const uint8_t *value)
{
    static const int RANKS[4] = {0, 1, 2, 3};
    const hsize_t size[3] = {value[0] % 12u, value[1] % 14u, value[2] % 3u};
    const hid_t space = H5Screate_simple(RANKS[value[3] % 4], size, NULL);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 1 + value[4] % 9u);
    const hid_t types[4] = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_U8LE, text};
    H5Ldelete(file, path, H5P_DEFAULT);
    const hid_t dataset =
        H5Dcreate2(file, path, types[value[5] % 4], space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    uint8_t contents[12 * 14 * 3 * 9];
    memset(contents, value[4], sizeof contents);
    if (dataset >= 0) {
        H5Dwrite(dataset, types[value[5] % 4], H5S_ALL, H5S_ALL, H5P_DEFAULT, contents);
        H5Dclose(dataset);
    }
    H5Tclose(text);
    H5Sclose(space);
}

static void resize(hid_t dataset, const uint8_t *value)
{
    const hsize_t size[2] = {value[0], value[1]};
    H5Dset_extent(dataset, size);
}

static void change(hid_t file, const uint8_t *data)
{
    const char *path = base.paths[data[1] % base.path_count];
    const size_t at = (size_t)(data[2] | data[3] << 8);
    const uint8_t *value = data + 4;
    const hid_t object =
        data[1] == 0 ? H5Oopen(file, "/", H5P_DEFAULT) : H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        return;
    const bool dataset = H5Iget_type(object) == H5I_DATASET;
    switch (data[0] % 8) {
    case 0:
    case 1:
    case 2:
        if (dataset)
            change_contents(object, at, value);
        break;
    case 3:
    case 4:
        change_attribute(object, at >> 8, at & 255, value, false);
        break;
    case 5:
        change_attribute(object, at, 0, value, true);
        break;
    case 6:
        if (dataset)
            resize(object, value);
        break;
    default:
        if (value[0] % 2 == 0)
            H5Ldelete(file, path, H5P_DEFAULT);
        else
            replace(file, path, value);
    }
    H5Oclose(object);
}

static void change_all(const uint8_t *data, size_t size)
{
    put_file(base.path, base.bytes, base.size);
    const hid_t file = H5Fopen(base.path, H5F_ACC_RDWR, H5P_DEFAULT);
    require(file >= 0);
    for (size_t i = 0; i + CHANGE <= size && i / CHANGE < CHANGES_MAX; i += CHANGE)
        change(file, data + i);
    require(H5Fclose(file) >= 0);
    const int descriptor = open(base.path, O_RDWR | O_CLOEXEC);
    struct stat facts;
    require(descriptor >= 0 && fstat(descriptor, &facts) == 0 &&
            olo_checksum_trailer_write(descriptor, (uint64_t)facts.st_size, NULL));
    close(descriptor);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

static void require_reason(olo_status status, const olo_error *error)
{
    require(status == OLO_OK || error->text[0] != '\0');
}

static void read_all(void)
{
    olo_error error = {0};
    olo_result *result = NULL;
    const olo_status status = olo_result_open(base.path, &result, &error);
    if (status != OLO_OK) {
        require(strstr(error.text, base.path) != NULL);
        return;
    }
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int count = 0;
    const char *text = NULL;
    double *values = malloc((size_t)olo_result_row_count(result) * sizeof *values + 1);
    require(values != NULL);
    for (int i = 0; i < olo_result_column_count(result); i++) {
        require_reason(
            olo_result_read_column(result, olo_result_column_name(result, i), values, &error),
            &error);
    }
    require_reason(olo_result_verdicts(result, verdicts, &count, &error), &error);
    require_reason(olo_result_model_text(result, &text, &error), &error);
    free(values);
    olo_result_free(result);
}

static void write_frames(void)
{
    olo_error error = {0};
    long written = 0;
    char path[192];
    const olo_vtk_options how = {.initialised = OLO_INITIALISED_VTK_OPTIONS, .frames = 2};
    (void)snprintf(path, sizeof path, "%s.pvd", base.out);
    require_reason(olo_result_write_vtk(base.path, path, &how, &written, &error), &error);
    (void)unlink(path);
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, sizeof path, "%s/%s-%06d.vtp", base.out, i < 2 ? "frames" : "scene",
                       i % 2);
        (void)unlink(path);
    }
    (void)rmdir(base.out);
}

/* Writes one of the formats to a temporary file. */
static void write_as(size_t format)
{
    olo_error error = {0};
    FILE *out = format < 2 ? fopen(base.out, "w") : NULL;
    if (format == 0) {
        require_reason(olo_result_write_csv(base.path, out, &error), &error);
    } else if (format == 1) {
        require_reason(olo_result_write_json(base.path, out, &error), &error);
    } else if (format == 2) {
        require_reason(olo_report_write(base.path, base.out, NULL, &error), &error);
    } else {
        write_frames();
        return;
    }
    if (out != NULL)
        fclose(out);
    (void)unlink(base.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char WHOLE[4] = {'f', 'i', 'l', 'e'};
    if (base.bytes == NULL)
        prepare();
    if (size >= sizeof WHOLE && memcmp(data, WHOLE, sizeof WHOLE) == 0)
        put_file(base.path, data + sizeof WHOLE, size - sizeof WHOLE);
    else
        change_all(data, size);
    if (size % 5 == 4)
        read_all();
    else
        write_as(size % 5);
    (void)unlink(base.path);
    return 0;
}
