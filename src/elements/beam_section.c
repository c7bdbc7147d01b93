/* Stiffness and inertia of the cross-section of a beam, from numbers or from shape and material.
 *
 * Stiffness, with bending about d1 and d2:
 *     D = diag(k G A, k G A, E A, E I1, E I2, G J),   I1 = int x2^2,  I2 = int x1^2
 * Inertia of the rates of d1 and d2:
 *     A_rho = rho A,   M1 = rho int x1^2,   M2 = rho int x2^2
 *
 * G = E/(2 (1 + nu)). The shear factor k of the area is 5/6 for a rectangle, 9/10 for a circle and
 * 1/2 for a tube with thin walls; it follows from the energy of the shear stresses of elementary
 * bending. The torsion constant of a rectangle a x b, a >= b, is Saint-Venant's series
 *
 *     J = a b^3/3 (1 - 192/pi^5 b/a sum_{n odd} tanh(n pi a/(2 b))/n^5). */
#include "elements/beam_section.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Areas and moments of a shape. */
typedef struct outline {
    double area, I1, I2, torsion, shear;
} outline;

static double torsion_of_rectangle(double a, double b)
{
    const int terms = 60;
    double sum = 0, longer = fmax(a, b), shorter = fmin(a, b);
    for (int n = 2 * terms - 1; n > 0; n -= 2)
        sum += tanh(n * M_PI * longer / (2 * shorter)) / pow(n, 5);
    return longer * pow(shorter, 3) / 3 * (1 - 192 / pow(M_PI, 5) * shorter / longer * sum);
}

static olo_status rectangle(olo_builder *builder, const olo_section *s, outline *x)
{
    double a = s->size[0], b = s->size[1];
    if (!(a > 0) || !(b > 0))
        return olo_builder_fail(builder, "section", "width and height must be positive");
    *x = (outline){.area = a * b,
                   .I1 = a * b * b * b / 12,
                   .I2 = b * a * a * a / 12,
                   .torsion = torsion_of_rectangle(a, b),
                   .shear = 5. / 6};
    return OLO_OK;
}

static olo_status ring(olo_builder *builder, const olo_section *s, outline *x)
{
    bool tube = strcmp(s->type, "tube") == 0;
    double r = s->radius, inner = tube ? s->inner_radius : 0;
    if (!(r > 0))
        return olo_builder_fail(builder, "section", "radius must be positive");
    if (tube && !(inner > 0 && inner < r))
        return olo_builder_fail(builder, "section",
                                "inner_radius must be between 0 and the radius");
    double I = M_PI / 4 * (pow(r, 4) - pow(inner, 4));
    *x = (outline){.area = M_PI * (r * r - inner * inner),
                   .I1 = I,
                   .I2 = I,
                   .torsion = 2 * I,
                   .shear = tube ? 0.5 : 0.9};
    return OLO_OK;
}

static olo_status by_shape(olo_builder *builder, const olo_section *s, olo_section_numbers *out)
{
    outline x = {0};
    if (!s->type)
        return olo_builder_fail(builder, "section", "needs a type: rectangle, circle or tube");
    olo_status status =
        strcmp(s->type, "rectangle") == 0 ? rectangle(builder, s, &x) : ring(builder, s, &x);
    if (status != OLO_OK)
        return status;
    if (!(s->young > 0) || !(s->density > 0))
        return olo_builder_fail(builder, "section", "young and density must be positive");
    if (!(s->poisson > -1 && s->poisson <= 0.5))
        return olo_builder_fail(builder, "section", "poisson must be between -1 and 0.5");
    double G = s->young / (2 * (1 + s->poisson));
    double shear = isnan(s->shear_factor) ? x.shear : s->shear_factor;
    const double D[6] = {shear * G * x.area, shear * G * x.area, s->young * x.area,
                         s->young * x.I1,    s->young * x.I2,    G * x.torsion};
    if (!(shear > 0))
        return olo_builder_fail(builder, "section", "shear_factor must be positive");
    for (int k = 0; k < 6; k++)
        out->stiffness[7 * k] = D[k];
    out->inertia[0] = s->density * x.area;
    out->inertia[4] = s->density * x.I2;
    out->inertia[8] = s->density * x.I1;
    return OLO_OK;
}

/* Checks that a matrix is symmetric up to rounding and has no negative eigenvalues, and makes it
 * exactly symmetric. */
static olo_status check_matrix(olo_builder *builder, const char *key, int n, double *A)
{
    double size = 0, value[6], copy[36];
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            if (fabs(A[n * i + j] - A[n * j + i]) > 1e-9 * size)
                return olo_builder_fail(builder, key, "is not symmetric");
            A[n * i + j] = A[n * j + i] = 0.5 * (A[n * i + j] + A[n * j + i]);
        }
    memcpy(copy, A, (size_t)(n * n) * sizeof *A);
    if (!olo_symmetric_eigenvalues(n, copy, value))
        return olo_builder_fail(builder, key, "is not a finite matrix");
    if (value[0] < -1e-12 * size)
        return olo_builder_fail(builder, key, "has a negative eigenvalue");
    return OLO_OK;
}

static olo_status by_numbers(olo_builder *builder, const olo_beam *beam, olo_section_numbers *out)
{
    static const int six[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {2, 2}, {1, 2}};
    const double *m = beam->inertia;
    if (beam->energy && beam->stiffness_count > 0)
        return olo_builder_fail(builder, "energy", "give either stiffness or energy");
    if (beam->energy)
        ; /* the stiffness follows from the energy */
    else if (beam->stiffness_count == 36)
        memcpy(out->stiffness, beam->stiffness, sizeof out->stiffness);
    else if (beam->stiffness_count == 6)
        for (int k = 0; k < 6; k++)
            out->stiffness[7 * k] = beam->stiffness[k];
    else
        return olo_builder_fail(builder, "stiffness",
                                "needs [GA1, GA2, EA, EI1, EI2, GJ] or 6x6 numbers, got %d",
                                beam->stiffness_count);
    if (beam->inertia_count != 3 && beam->inertia_count != 6)
        return olo_builder_fail(builder, "inertia",
                                "needs [A, M1, M2] or [A, S1, S2, M11, M22, M12], got %d numbers",
                                beam->inertia_count);
    for (int k = 0; k < beam->inertia_count; k++) {
        int i = beam->inertia_count == 3 ? k : six[k][0],
            j = beam->inertia_count == 3 ? k : six[k][1];
        out->inertia[3 * i + j] = out->inertia[3 * j + i] = m[k];
    }
    if (!(out->inertia[0] > 0))
        return olo_builder_fail(builder, "inertia", "the mass per length must be positive");
    olo_status status = check_matrix(builder, "stiffness", 6, out->stiffness);
    return status == OLO_OK ? check_matrix(builder, "inertia", 3, out->inertia) : status;
}

olo_status olo_section_measure(olo_builder *builder, const olo_beam *beam,
                               olo_section_numbers *section)
{
    memset(section, 0, sizeof *section);
    bool numbers = beam->stiffness_count > 0 || beam->inertia_count > 0 || beam->energy;
    if (beam->section && numbers)
        return olo_builder_fail(builder, "section",
                                "give either a section or stiffness and inertia");
    if (!beam->section && !numbers)
        return olo_builder_fail(builder, NULL, "give a section, or stiffness and inertia");
    olo_status status =
        numbers ? by_numbers(builder, beam, section) : by_shape(builder, beam->section, section);
    for (int i = 0; i < 36; i++)
        section->coupled = section->coupled || (i % 7 != 0 && section->stiffness[i] != 0);
    return status;
}
