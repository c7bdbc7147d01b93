/* Centre lines of beams: straight lines, arcs of circles and helices, polylines with rigid corners,
 * and splines.
 *
 * Nodes are spaced equally along the line. The third director is the tangent. The first two
 * directors are transported along the line without rotation about the tangent; on a circle or helix
 * they follow the screw motion that generates the curve. The twist of the beam is then added in
 * proportion to the arc length. */
#include "elements/beam_line.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "elements/build.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"

/* Number of intervals between two points of a spline in the table of arc lengths. */
enum { SAMPLES = 64 };

void olo_line_free(olo_line *line)
{
    olo_free(line->x);
    olo_free(line->directors);
}

/* Computes the first director perpendicular to a tangent: the component of `preferred`, or, if that
 * is zero, of the axis of space that follows the one closest to the tangent. Returns false if
 * `preferred` is parallel to the tangent. */
static bool first_director(const double preferred[3], const double t[3], double d1[3])
{
    const double least = 1e-6;
    double along[3];
    vec3_copy(preferred, along);
    if (vec3_normalise(along) == 0) {
        int most = 0;
        for (int i = 1; i < 3; i++)
            most = fabs(t[i]) > fabs(t[most]) * (1 + 1e-12) ? i : most;
        along[(most + 1) % 3] = 1;
    }
    vec3_copy(along, d1);
    vec3_add(-vec3_dot(along, t), t, d1);
    return vec3_normalise(d1) > least;
}

/* Sets the rows d1, d2, d3: d3 is the tangent, d1 is rotated about it by the angle. */
static void set_directors(const double d1[3], const double t[3], double angle, double d[9])
{
    double across[3];
    vec3_cross(t, d1, across);
    for (int i = 0; i < 3; i++) {
        d[i] = cos(angle) * d1[i] + sin(angle) * across[i];
        d[3 + i] = cos(angle) * across[i] - sin(angle) * d1[i];
        d[6 + i] = t[i];
    }
}

/* Rotates v by the smallest rotation that takes tangent a to tangent b. */
static void parallel_transport(const double a[3], const double b[3], double v[3])
{
    double n[3], turned[3];
    vec3_cross(a, b, n);
    double c = vec3_dot(a, b), along = vec3_dot(n, v) / (1 + c);
    vec3_cross(n, v, turned);
    for (int i = 0; i < 3; i++)
        v[i] = c * v[i] + turned[i] + along * n[i];
    vec3_add(-vec3_dot(b, v), b, v);
    vec3_normalise(v);
}

/* The node that is local node a of element e. */
static int node_of(const olo_line *line, int e, int a)
{
    return e * (line->element_nodes - 1) + a;
}

/* Fraction of the length of the beam at which a node lies, 0 to 1. */
static double fraction_of(const olo_line *line, int node)
{
    return (double)node / (line->nodes - 1);
}

/* Sets the directors of a node in all elements that share it. */
static void put_directors(olo_line *line, int node, const double d[9])
{
    int step = line->element_nodes - 1, e = node / step, a = node % step;
    if (e < line->elements)
        memcpy(line->directors[e * line->element_nodes + a], d, 9 * sizeof *d);
    if (a == 0 && e > 0)
        memcpy(line->directors[e * line->element_nodes - 1], d, 9 * sizeof *d);
}

static olo_status fail_d1(olo_builder *builder)
{
    return olo_builder_fail(builder, "d1", "is along the beam: it must point across it");
}

/* --- straight line --- */

static olo_status create_straight_line(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    double t[3], d1[3];
    vec3_subtract(beam->to, beam->from, t);
    if (!(vec3_normalise(t) > 0))
        return olo_builder_fail(builder, "to", "the beam has no length");
    if (!first_director(beam->d1, t, d1))
        return fail_d1(builder);
    for (int k = 0; k < line->nodes; k++)
        for (int i = 0; i < 3; i++) {
            double s = fraction_of(line, k);
            line->x[k][i] = (1 - s) * beam->from[i] + s * beam->to[i];
        }
    for (int e = 0; e < line->elements; e++)
        for (int a = 0; a < line->element_nodes; a++)
            set_directors(d1, t, beam->twist * fraction_of(line, node_of(line, e, a)),
                          line->directors[e * line->element_nodes + a]);
    return OLO_OK;
}

/* --- circle and helix --- */

static olo_status create_helix(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    const olo_arc *arc = beam->arc;
    double n[3], arm[3], t[3], d1[3];
    if (!(vec3_norm(arc->axis) > 0))
        return olo_builder_fail(builder, "arc", "has an axis of length zero");
    vec3_copy(arc->axis, n);
    vec3_normalise(n);
    vec3_subtract(beam->from, arc->center, arm);
    vec3_cross(n, arm, t);
    double radius = vec3_norm(t);
    for (int i = 0; i < 3; i++)
        t[i] = arc->angle * t[i] + arc->rise * n[i];
    if (!(radius > 0) || arc->angle == 0)
        return olo_builder_fail(builder, "arc", "has no angle, or starts on its axis");
    vec3_normalise(t);
    if (!first_director(beam->d1, t, d1))
        return fail_d1(builder);
    for (int e = 0; e < line->elements; e++)
        for (int a = 0; a < line->element_nodes; a++) {
            int k = node_of(line, e, a);
            double s = fraction_of(line, k), R[9], at[9];
            double theta[3] = {arc->angle * s * n[0], arc->angle * s * n[1], arc->angle * s * n[2]};
            rotation_exponential(theta, R);
            mat3_times(R, arm, line->x[k]);
            vec3_add(1.0, arc->center, line->x[k]);
            vec3_add(arc->rise * s, n, line->x[k]);
            set_directors(d1, t, beam->twist * s, at);
            for (int i = 0; i < 3; i++)
                mat3_times(R, at + 3 * i, line->directors[e * line->element_nodes + a] + 3 * i);
        }
    return OLO_OK;
}

/* --- polyline --- */

static double distance(const double *a, const double *b)
{
    double d[3];
    vec3_subtract(b, a, d);
    return vec3_norm(d);
}

/* Number of elements of a piece: in proportion to its length and at least one, such that all pieces
 * together have the requested number. */
static int elements_of_piece(int remaining_elements, double length, double remaining,
                             int pieces_after)
{
    int count = (int)floor(remaining_elements * length / remaining + 0.5);
    count = count < 1 ? 1 : count;
    return count > remaining_elements - pieces_after ? remaining_elements - pieces_after : count;
}

static olo_status create_polyline(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    const double *p = beam->points;
    double total = 0, remaining, t[3], d1[3], before[3], length_before = 0;
    int pieces = beam->point_count - 1, element = 0;
    for (int i = 0; i < pieces; i++) {
        if (!(distance(p + 3 * i, p + 3 * i + 3) > 0))
            return olo_builder_fail(builder, "points", "point %d coincides with point %d", i + 2,
                                    i + 1);
        total += distance(p + 3 * i, p + 3 * i + 3);
    }
    if (line->elements < pieces)
        return olo_builder_fail(builder, "elements",
                                "at least %d are needed, one between two points", pieces);
    remaining = total;
    for (int i = 0; i < pieces; i++, p += 3) {
        double length = distance(p, p + 3);
        int count = elements_of_piece(line->elements - element, length, remaining, pieces - 1 - i);
        vec3_subtract(p + 3, p, t);
        vec3_normalise(t);
        if (i == 0 && !first_director(beam->d1, t, d1))
            return fail_d1(builder);
        if (i > 0 && vec3_dot(before, t) < -1 + 1e-9)
            return olo_builder_fail(builder, "points", "the beam turns back on itself at point %d",
                                    i + 1);
        if (i > 0)
            parallel_transport(before, t, d1);
        for (int e = 0; e < count; e++, element++)
            for (int a = 0; a < line->element_nodes; a++) {
                double s = (e + (double)a / (line->element_nodes - 1)) / count;
                double *x = line->x[node_of(line, element, a)];
                for (int c = 0; c < 3; c++)
                    x[c] = (1 - s) * p[c] + s * p[3 + c];
                set_directors(d1, t, beam->twist * (length_before + s * length) / total,
                              line->directors[element * line->element_nodes + a]);
            }
        length_before += length;
        remaining -= length;
        vec3_copy(t, before);
    }
    return OLO_OK;
}

/* --- spline --- */

/* A cubic spline through the points, over the length of the polyline, with the second derivative
 * zero at its ends or with given tangents there. */
typedef struct spline {
    int count;
    const double *points;
    const double *tangents; /* two directions at the ends; NULL: no second derivative there */
    double *parameter;      /* [count] */
    double *bend;           /* [3 count] second derivatives */
} spline;

static void spline_at(const spline *x, double u, double position[3], double rate[3])
{
    int i = 0;
    while (i < x->count - 2 && u > x->parameter[i + 1])
        i++;
    double h = x->parameter[i + 1] - x->parameter[i], b = (u - x->parameter[i]) / h, a = 1 - b;
    for (int c = 0; c < 3; c++) {
        double y0 = x->points[3 * i + c], y1 = x->points[3 * i + 3 + c];
        double m0 = x->bend[3 * i + c], m1 = x->bend[3 * i + 3 + c];
        position[c] = a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6;
        rate[c] = (y1 - y0) / h + ((1 - 3 * a * a) * m0 + (3 * b * b - 1) * m1) * h / 6;
    }
}

/* The rise per length of the polyline from point i to i + 1, or the tangent before the first and
 * after the last point. */
static double rise(const spline *x, int i, int c)
{
    if (i < 0)
        return x->tangents[c];
    if (i == x->count - 1)
        return x->tangents[3 + c];
    return (x->points[3 * i + 3 + c] - x->points[3 * i + c]) /
           (x->parameter[i + 1] - x->parameter[i]);
}

/* Solves the tridiagonal equations for the second derivatives by elimination: row i is
 * h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (rise_i - rise_(i-1)), with h = 0
 * outside. Without tangents the rows of both ends are left out. */
static void spline_bend(const spline *x, double *factor)
{
    const double *u = x->parameter;
    const int first = x->tangents ? 0 : 1, last = x->count - 1 - first;
    for (int i = first; i <= last; i++) {
        double h0 = i > 0 ? u[i] - u[i - 1] : 0, h1 = i < x->count - 1 ? u[i + 1] - u[i] : 0;
        double pivot = 2 * (h0 + h1) - (i > 0 ? h0 * factor[i - 1] : 0);
        factor[i] = h1 / pivot;
        for (int c = 0; c < 3; c++) {
            double jump = 6 * (rise(x, i, c) - rise(x, i - 1, c));
            x->bend[3 * i + c] = (jump - (i > 0 ? h0 * x->bend[3 * i - 3 + c] : 0)) / pivot;
        }
    }
    for (int i = last < x->count - 2 ? last : x->count - 2; i >= first; i--)
        for (int c = 0; c < 3; c++)
            x->bend[3 * i + c] -= factor[i] * x->bend[3 * i + 3 + c];
}

/* Length of the spline between two parameters on one cubic piece, by Gauss quadrature with three
 * points. */
static double spline_length(const spline *x, double u0, double u1)
{
    static const double at[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double weight[3] = {5. / 18, 8. / 18, 5. / 18};
    double sum = 0, position[3], rate[3];
    for (int k = 0; k < 3; k++) {
        spline_at(x, u0 + at[k] * (u1 - u0), position, rate);
        sum += weight[k] * vec3_norm(rate) * (u1 - u0);
    }
    return sum;
}

/* Finds the parameter in [u0, u1] at which the length from u0 is `length`, by Newton iteration
 * clamped to the interval. */
static double spline_find(const spline *x, double u0, double u1, double length)
{
    double u = u0, position[3], rate[3];
    for (int k = 0; k < 8; k++) {
        spline_at(x, u, position, rate);
        u = fmin(u1, fmax(u0, u + (length - spline_length(x, u0, u)) / vec3_norm(rate)));
    }
    return u;
}

/* Traverses the table of arc lengths, sets each node at its arc length, and transports d1 along the
 * line. */
static bool distribute_nodes(const spline *x, const olo_beam *beam, olo_line *line, double total)
{
    double position[3], rate[3], t[3], d1[3], length_before = 0;
    int node = 0, steps = SAMPLES * (x->count - 1);
    spline_at(x, 0, position, t);
    vec3_normalise(t);
    if (!first_director(beam->d1, t, d1))
        return false;
    for (int k = 0; k < steps && node < line->nodes; k++) {
        int piece = k / SAMPLES, j = k % SAMPLES;
        double a = x->parameter[piece], b = x->parameter[piece + 1];
        double u0 = a + (b - a) * j / SAMPLES, u1 = a + (b - a) * (j + 1) / SAMPLES;
        double length = spline_length(x, u0, u1);
        while (node < line->nodes &&
               (fraction_of(line, node) * total <= length_before + length || k == steps - 1)) {
            double u =
                node == line->nodes - 1
                    ? x->parameter[x->count - 1]
                    : spline_find(x, u0, u1, fraction_of(line, node) * total - length_before);
            double tangent[3], here[3];
            spline_at(x, u, line->x[node], tangent);
            vec3_normalise(tangent);
            vec3_copy(d1, here);
            parallel_transport(t, tangent, here);
            double d[9];
            set_directors(here, tangent, beam->twist * fraction_of(line, node), d);
            put_directors(line, node++, d);
        }
        spline_at(x, u1, position, rate);
        vec3_normalise(rate);
        parallel_transport(t, rate, d1);
        vec3_copy(rate, t);
        length_before += length;
    }
    return true;
}

static olo_status create_spline_line(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    size_t count = (size_t)beam->point_count;
    double *numbers = olo_alloc(5 * count, sizeof *numbers), total = 0, tangents[6];
    if (!numbers)
        return olo_build_out_of_memory(builder);
    for (int i = 0; i < 6 && beam->tangent_count == 2; i++)
        tangents[i] = beam->tangents[i];
    for (int i = 0; i < 6 && beam->tangent_count == 2; i += 3)
        vec3_normalise(tangents + i);
    spline x = {.count = beam->point_count,
                .points = beam->points,
                .tangents = beam->tangent_count == 2 ? tangents : NULL,
                .parameter = numbers,
                .bend = numbers + count};
    olo_status status = OLO_OK;
    for (int i = 1; i < x.count && status == OLO_OK; i++) {
        double step = distance(x.points + 3 * i - 3, x.points + 3 * i);
        x.parameter[i] = x.parameter[i - 1] + step;
        if (!(step > 0))
            status =
                olo_builder_fail(builder, "points", "point %d coincides with point %d", i + 1, i);
    }
    if (status == OLO_OK) {
        spline_bend(&x, numbers + 4 * count);
        for (int k = 0; k < SAMPLES * (x.count - 1); k++) {
            double a = x.parameter[k / SAMPLES], b = x.parameter[k / SAMPLES + 1];
            total += spline_length(&x, a + (b - a) * (k % SAMPLES) / SAMPLES,
                                   a + (b - a) * (k % SAMPLES + 1) / SAMPLES);
        }
        if (!distribute_nodes(&x, beam, line, total))
            status = fail_d1(builder);
    }
    olo_free(numbers);
    return status;
}

/* --- the direction of d1 at the end --- */

/* Twists the line so that d1 at its end has the given direction, by less than half a turn beyond
 * `twist`, in proportion to the length. */
static olo_status twist_to_end(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    double *d = line->directors[line->elements * line->element_nodes - 1], wanted[3], at = 0;
    if (!first_director(beam->d1_end, d + 6, wanted))
        return olo_builder_fail(builder, "d1_end", "is along the beam: it must point across it");
    const double angle = atan2(vec3_dot(wanted, d + 3), vec3_dot(wanted, d));
    for (int e = 0; e < line->elements; e++)
        for (int a = 0; a < line->element_nodes; a++) {
            const int k = node_of(line, e, a);
            double *own = line->directors[e * line->element_nodes + a], t[3], d1[3];
            at += a > 0 ? distance(line->x[k - 1], line->x[k]) : 0;
            vec3_copy(own + 6, t);
            vec3_copy(own, d1);
            set_directors(d1, t, angle * (k == line->nodes - 1 ? 1 : at / line->length), own);
        }
    return OLO_OK;
}

/* --- choice of the curve --- */

static olo_status choose(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    bool arc = beam->arc != NULL, to = !isnan(beam->to[0]);
    int given = arc + to + (beam->point_count > 0);
    if (given != 1)
        return olo_builder_fail(
            builder, NULL, "give exactly one of to, arc and points, which define the centre line");
    if (beam->point_count == 1)
        return olo_builder_fail(builder, "points", "needs at least two points");
    bool smooth = beam->point_count > 0 && strcmp(beam->curve, "spline") == 0;
    for (int i = 0; i < beam->tangent_count; i++)
        if (!smooth || beam->tangent_count != 2 || !(vec3_norm(beam->tangents + 3 * i) > 0))
            return olo_builder_fail(
                builder, "tangents",
                "belong to curve: spline, and are two directions, at its start and end");
    if (beam->point_count > 0)
        return smooth ? create_spline_line(builder, beam, line)
                      : create_polyline(builder, beam, line);
    return arc ? create_helix(builder, beam, line) : create_straight_line(builder, beam, line);
}

olo_status olo_line_create(olo_builder *builder, const olo_beam *beam, olo_line *line)
{
    line->element_nodes = strcmp(beam->interpolation, "quadratic") == 0 ? 3 : 2;
    line->elements = beam->elements;
    line->nodes = line->elements * (line->element_nodes - 1) + 1;
    line->x = olo_alloc((size_t)line->nodes, sizeof *line->x);
    line->directors =
        olo_alloc((size_t)(line->elements * line->element_nodes), sizeof *line->directors);
    olo_status status =
        line->x && line->directors ? choose(builder, beam, line) : olo_build_out_of_memory(builder);
    line->uniform = beam->point_count == 0 || strcmp(beam->curve, "spline") == 0;
    for (int k = 1; status == OLO_OK && k < line->nodes; k++)
        line->length += distance(line->x[k - 1], line->x[k]);
    if (status == OLO_OK && vec3_norm(beam->d1_end) > 0)
        status = twist_to_end(builder, beam, line);
    if (status != OLO_OK)
        olo_line_free(line);
    return status;
}

double olo_line_rest_length(const olo_line *line, const olo_beam *beam, double measured)
{
    if (!(beam->rest_length > 0))
        return measured;
    return line->uniform && line->element_nodes == 2 ? beam->rest_length / line->elements
                                                     : beam->rest_length * measured / line->length;
}
