/* Results for other programs: if memory or disk space is exhausted at any moment, no incomplete
 * file remains. */
#include "scene.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/initialised.h"
#include "base/memory.h"
#include "base/write.h"
#include "results/surface.h"

static const char model_text[] =
    "name: things\n"
    "bodies:\n"
    "  - {name: ball, shapes: {type: sphere, radius: 1, mass: 1}, velocity: [1, 0, 0]}\n"
    "points:\n"
    "  - {name: a, mass: 1, position: [0, 5, 0]}\n"
    "beams:\n"
    "  - {name: beam, elements: 1, to: [1, 0, 0], stiffness: [1, 1, 1, 1, 1, 1], inertia: [1, 1, "
    "1]}\n"
    "springs:\n"
    "  - {name: soft, between: [a, ball], stiffness: 10}\n"
    "run: {step: 0.1, end: 0.2}\n";

enum { PATH_SIZE = 256 };

typedef struct result_files {
    char folder[64], result[PATH_SIZE], pvd[PATH_SIZE], pieces[PATH_SIZE];
} result_files;

/* A result of three rows in its own folder. */
static result_files make_result(void)
{
    result_files p = {.folder = "/tmp/oloid-export-XXXXXX"};
    check_true(mkdtemp(p.folder) != NULL);
    snprintf(p.result, sizeof p.result, "%s/things.h5", p.folder);
    snprintf(p.pvd, sizeof p.pvd, "%s/out.pvd", p.folder);
    snprintf(p.pieces, sizeof p.pieces, "%s/out", p.folder);
    scene s = scene_open(model_text, NULL);
    olo_recorder *recorder = NULL;
    olo_run_summary summary;
    olo_error error = {0};
    check_ok(olo_recorder_create(p.result, s.model, s.system, &s.run, "", &recorder, &error),
             &error);
    olo_observer observer = olo_recorder_observer(recorder);
    check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, &summary, &error), &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    scene_close(&s);
    return p;
}

/* Removes the files of a folder, and returns how many of them do not end in .vtp. */
static int clear_folder(const char *folder)
{
    int others = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        char path[2 * PATH_SIZE];
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        others += length < 4 || strcmp(entry->d_name + length - 4, ".vtp") != 0;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        remove(path);
    }
    if (entries)
        closedir(entries);
    return others;
}

static void remove_result(const result_files *p)
{
    clear_folder(p->pieces);
    rmdir(p->pieces);
    clear_folder(p->folder);
    rmdir(p->folder);
}

TEST(every_write_of_an_export_may_fail)
{
    result_files p = make_result();
    olo_error error = {0};
    size_t before = olo_write_count();
    long frames = 0;
    check_ok(olo_result_write_vtk(p.result, p.pvd, NULL, &frames, &error), &error);
    check_equal(3, frames);
    const size_t writes = olo_write_count() - before;
    check_true(writes > 6 * 3);
    for (size_t n = 1; n <= writes; n++) {
        check_equal(0, clear_folder(p.pieces));
        remove(p.pvd);
        error = (olo_error){0};
        olo_write_fail_at(n);
        olo_status status = olo_result_write_vtk(p.result, p.pvd, NULL, NULL, &error);
        olo_write_fail_at(0);
        check_status(OLO_IO, status);
        check_contains("No space left", error.text);
        check_true(access(p.pvd, F_OK) != 0);
    }
    remove_result(&p);
}

/* One animation frame suffices here. */
static olo_status export_everything(const result_files *p, olo_error *error)
{
    FILE *out = fopen("/dev/null", "w");
    const olo_vtk_options how = {.initialised = OLO_INITIALISED_VTK_OPTIONS, .frames = 1};
    olo_status status = olo_result_write_json(p->result, out, error);
    if (status == OLO_OK)
        status = olo_result_write_vtk(p->result, p->pvd, &how, NULL, error);
    fclose(out);
    return status;
}

TEST(every_allocation_of_an_export_may_fail)
{
    result_files p = make_result();
    const size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n += SANITIZED ? 5 : 1) {
        olo_error error = {0};
        check_true(n < 100000);
        olo_memory_fail_at(n);
        status = export_everything(&p, &error);
        olo_memory_fail_at(0);
        if (status != OLO_OK) {
            check_status(OLO_NO_MEMORY, status);
            check_contains("out of memory", error.text);
        }
        check_equal((long)alive, (long)olo_memory_alive());
    }
    remove_result(&p);
}

static bool stop_at_second(void *context)
{
    return ++*(int *)context == 2;
}

TEST(an_export_can_be_stopped)
{
    result_files p = make_result();
    olo_error error = {0};
    int asked = 0;
    const olo_vtk_options how = {
        .initialised = OLO_INITIALISED_VTK_OPTIONS, .stop = stop_at_second, .context = &asked};
    check_status(OLO_INTERRUPTED, olo_result_write_vtk(p.result, p.pvd, &how, NULL, &error));
    check_contains("after 1 of 3 frames", error.text);
    check_true(access(p.pvd, F_OK) != 0);
    remove_result(&p);
}

TEST(what_is_no_result_is_not_exported)
{
    olo_error error = {0};
    check_status(OLO_IO, olo_result_write_vtk("/nowhere.h5", "/nowhere.pvd", NULL, NULL, &error));
    check_status(OLO_IO, olo_result_write_json("/nowhere.h5", stdout, &error));
}

/* ---- surfaces ---------------------------------------------------------------------------------
 */

static const double origin[3], identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Volume by the theorem of Gauss: the sum of x.n dA / 3 over triangles. */
static double volume(const olo_surface *s)
{
    double sum = 0;
    for (size_t f = 0; f < s->faces; f++) {
        size_t first = f > 0 ? (size_t)s->offset[f - 1] : 0, end = (size_t)s->offset[f];
        const double *a = s->point + 3 * s->corner[first];
        for (size_t i = first + 1; i + 1 < end; i++) {
            const double *b = s->point + 3 * s->corner[i], *c = s->point + 3 * s->corner[i + 1];
            sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    }
    return sum / 6;
}

TEST(surfaces_are_closed_and_face_outwards)
{
    const double size[12] = {1, 2, 3};
    const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double mirrored[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
    const double circle = 12 * sin(acos(-1) / 12); /* area of 24 corners on the unit circle */
    const struct {
        const char *name;
        const double *size;
        double volume, tolerance;
    } expected[] = {{"box", size, 6, 1e-13},
                    {"tetrahedron", corners, 1.0 / 6, 1e-13},
                    {"tetrahedron", mirrored, 1.0 / 6, 1e-13},
                    {"cylinder", size, circle * 2 * 3, 1e-13},
                    {"cone", size, circle * 2 * 3 / 3, 1e-13},
                    {"ellipsoid", size, 4.0 / 3 * acos(-1) * 6, 0.03}};
    /* a rotation by a third of a turn, and a shift: volumes do not change */
    const double turned[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, shift[3] = {3, -2, 1};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        olo_surface s = {0}, moved = {0};
        check_true(olo_surface_add(&s, expected[i].name, expected[i].size, origin, identity));
        check_true(olo_surface_add(&moved, expected[i].name, expected[i].size, shift, turned));
        check_relative(expected[i].volume, volume(&s), expected[i].tolerance);
        check_relative(volume(&s), volume(&moved), 1e-12);
        olo_surface_free(&s);
        olo_surface_free(&moved);
    }
}

TEST(what_has_no_surface_adds_nothing)
{
    olo_surface s = {0};
    check_true(!olo_surface_add(&s, "trace", origin, origin, identity));
    check_equal(0, (long)s.points);
    olo_surface_free(&s);
}

TEST_MAIN(cmocka_unit_test(every_write_of_an_export_may_fail),
          cmocka_unit_test(every_allocation_of_an_export_may_fail),
          cmocka_unit_test(an_export_can_be_stopped),
          cmocka_unit_test(what_is_no_result_is_not_exported),
          cmocka_unit_test(surfaces_are_closed_and_face_outwards),
          cmocka_unit_test(what_has_no_surface_adds_nothing))
