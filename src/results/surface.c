/* Surfaces of primitives. Round ones have corners on the true surface: an ellipsoid has rings of
 * latitude, a cylinder and a cone have a circle of corners. A sweep is a straight bar of length
 * one; the caller bends it when it moves the points. */
#include "results/surface.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"

enum {
    AROUND = 24,
    RINGS = 11,
    PIECES = 4
}; /* corners of a circle; circles between the poles of an ellipsoid; lengths that a sweep is
      divided into */

static void add_point(olo_surface *s, double x, double y, double z)
{
    double(*list)[3] =
        s->failed ? NULL : olo_grow(s->point, s->points, &s->point_capacity, 3 * sizeof(double));
    if (list == NULL) {
        s->failed = true;
        return;
    }
    s->point = &list[0][0];
    vec3_set(x, y, z, list[s->points++]);
}

static void add_corner(olo_surface *s, size_t point)
{
    int32_t *list = s->failed || point > INT32_MAX
                        ? NULL
                        : olo_grow(s->corner, s->corners, &s->corner_capacity, sizeof *list);
    if (list == NULL) {
        s->failed = true;
        return;
    }
    s->corner = list;
    list[s->corners++] = (int32_t)point;
}

/* Ends a face, which consists of the corners since the last face. */
static void end_face(olo_surface *s)
{
    int32_t *list = s->failed || s->corners > INT32_MAX
                        ? NULL
                        : olo_grow(s->offset, s->faces, &s->face_capacity, sizeof *list);
    if (list == NULL) {
        s->failed = true;
        return;
    }
    s->offset = list;
    list[s->faces++] = (int32_t)s->corners;
}

static void add_face(olo_surface *s, size_t first, const int *corners, int count)
{
    for (int i = 0; i < count; i++)
        add_corner(s, first + (size_t)corners[i]);
    end_face(s);
}

/* A circle about the third axis. */
static void add_circle(olo_surface *s, double a, double b, double z)
{
    for (int i = 0; i < AROUND; i++) {
        const double angle = 2 * acos(-1) * i / AROUND;
        add_point(s, a * cos(angle), b * sin(angle), z);
    }
}

/* Quadrilaterals between two circles, the first of which lies below. */
static void add_band(olo_surface *s, size_t below, size_t above)
{
    for (size_t i = 0; i < AROUND; i++) {
        const size_t next = (i + 1) % AROUND;
        add_corner(s, below + i);
        add_corner(s, below + next);
        add_corner(s, above + next);
        add_corner(s, above + i);
        end_face(s);
    }
}

/* Triangles between a circle and a point above it, or below. */
static void add_fan(olo_surface *s, size_t circle, size_t point, bool above)
{
    for (size_t i = 0; i < AROUND; i++) {
        const size_t next = (i + 1) % AROUND;
        add_corner(s, circle + (above ? i : next));
        add_corner(s, circle + (above ? next : i));
        add_corner(s, point);
        end_face(s);
    }
}

/* A circle as one polygon, seen from above or from below. */
static void add_disc(olo_surface *s, size_t circle, bool above)
{
    for (size_t i = 0; i < AROUND; i++)
        add_corner(s, circle + (above ? i : AROUND - 1 - i));
    end_face(s);
}

static void ellipsoid(olo_surface *s, const double *size)
{
    const size_t first = s->points;
    add_point(s, 0, 0, -size[2]);
    for (int k = 1; k <= RINGS; k++) {
        const double latitude = acos(-1) * k / (RINGS + 1);
        add_circle(s, size[0] * sin(latitude), size[1] * sin(latitude), -size[2] * cos(latitude));
    }
    add_point(s, 0, 0, size[2]);
    add_fan(s, first + 1, first, false);
    for (size_t k = 0; k + 1 < RINGS; k++)
        add_band(s, first + 1 + k * AROUND, first + 1 + (k + 1) * AROUND);
    add_fan(s, first + 1 + (RINGS - 1) * AROUND, first + 1 + RINGS * AROUND, true);
}

static void box(olo_surface *s, const double *size)
{
    static const int FACES[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const size_t first = s->points;
    for (int i = 0; i < 8; i++) {
        add_point(s, (i & 1 ? 0.5 : -0.5) * size[0], (i & 2 ? 0.5 : -0.5) * size[1],
                  (i & 4 ? 0.5 : -0.5) * size[2]);
    }
    for (int i = 0; i < 6; i++)
        add_face(s, first, FACES[i], 4);
}

static void cylinder(olo_surface *s, const double *size)
{
    const size_t below = s->points, above = below + AROUND;
    add_circle(s, size[0], size[1], -0.5 * size[2]);
    add_circle(s, size[0], size[1], 0.5 * size[2]);
    add_band(s, below, above);
    add_disc(s, below, false);
    add_disc(s, above, true);
}

static void cone(olo_surface *s, const double *size)
{
    const size_t apex = s->points;
    add_point(s, 0, 0, 0);
    add_circle(s, size[0], size[1], size[2]);
    add_fan(s, apex + 1, apex, false);
    add_disc(s, apex + 1, true);
}

static void tetrahedron(olo_surface *s, const double *size)
{
    static const int FACES[2][4][3] = {{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                                       {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {0, 2, 3}}};
    const size_t first = s->points;
    double edges[9];
    for (int i = 0; i < 4; i++)
        add_point(s, size[3 * i], size[3 * i + 1], size[3 * i + 2]);
    for (int i = 0; i < 3; i++)
        vec3_subtract(size + 3 * (i + 1), size, edges + 3 * i);
    for (int i = 0; i < 4; i++)
        add_face(s, first, FACES[mat3_det(edges) < 0][i], 3);
}

/* Corners of a rectangle whose sides are divided equally: a circle of corners projected onto the
 * sides. */
static void add_frame(olo_surface *s, double a, double b, double z)
{
    const int side = AROUND / 4;
    for (int i = 0; i < AROUND; i++) {
        const double along = 2.0 * (i % side) / side - 1.0;
        const double x[4] = {a, -along * a, -a, along * a}, y[4] = {along * b, b, -along * b, -b};
        add_point(s, x[i / side], y[i / side], z);
    }
}

static void sweep(olo_surface *s, const double *size)
{
    const size_t first = s->points;
    for (int k = 0; k <= PIECES; k++)
        (size[2] > 0.0 ? add_circle : add_frame)(s, size[0], size[1], (double)k / PIECES);
    for (size_t k = 0; k < PIECES; k++)
        add_band(s, first + k * AROUND, first + (k + 1) * AROUND);
    add_disc(s, first, false);
    add_disc(s, first + PIECES * AROUND, true);
}

static const struct {
    const char *name;
    void (*add)(olo_surface *s, const double *size);
} PRIMITIVES[] = {{"ellipsoid", ellipsoid},     {"box", box},
                  {"cylinder", cylinder},       {"cone", cone},
                  {"tetrahedron", tetrahedron}, {"sweep", sweep}};

bool olo_surface_add(olo_surface *surface, const char *primitive, const double *size,
                     const double position[3], const double rotation[9])
{
    for (size_t k = 0; k < sizeof PRIMITIVES / sizeof PRIMITIVES[0]; k++) {
        if (strcmp(PRIMITIVES[k].name, primitive) != 0)
            continue;
        const size_t first = surface->points;
        PRIMITIVES[k].add(surface, size);
        for (size_t i = first; i < surface->points; i++) {
            double x[3];
            mat3_times(rotation, surface->point + 3 * i, x);
            vec3_add(1.0, position, x);
            vec3_copy(x, surface->point + 3 * i);
        }
        return true;
    }
    return false;
}

void olo_surface_free(olo_surface *surface)
{
    olo_free(surface->point);
    olo_free(surface->corner);
    olo_free(surface->offset);
    *surface = (olo_surface){0};
}
