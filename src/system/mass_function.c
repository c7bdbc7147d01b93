/* Entries of the mass matrix that depend on scalars; see the header. */
#include "system/mass_function.h"

#include "base/fail.h"

double olo_mass_function_value(const olo_mass_function *x, const double *q)
{
    return olo_term_energy(x->f, q, NULL) - x->reference;
}

double olo_mass_function_energy(const olo_mass_function *x, const double *q, const double *v)
{
    return (x->i == x->j ? 0.5 : 1.0) * olo_mass_function_value(x, q) * v[x->i] * v[x->j];
}

/* For an entry with i /= j: (G v)_i = (g.v) v_j, (G v)_j = (g.v) v_i and -2 g v_i v_j, to which
 * dT/dq = g v_i v_j is added; for i = j one row, and halves. */
void olo_mass_function_add_inertia(const olo_mass_function *x, double factor, const double *q,
                                   const double *v, double *force)
{
    const double product = (x->i == x->j ? 0.5 : 1.0) * v[x->i] * v[x->j];
    double g[OLO_FORM_SIZE_MAX], rate = 0;
    olo_term_gradient(x->f, q, NULL, g);
    for (int k = 0; k < x->f->size; k++) {
        rate += g[k] * v[x->f->index[k]];
        force[x->f->index[k]] -= factor * g[k] * product;
    }
    force[x->i] += factor * rate * v[x->j];
    if (x->i != x->j)
        force[x->j] += factor * rate * v[x->i];
}

olo_status olo_system_need_constant_mass(const olo_system *s, const char *what, olo_error *error)
{
    if (s->mass_function_count == 0)
        return OLO_OK;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "the mass of coordinate '%s' depends on coordinates: %s a constant mass matrix",
                    s->nodes[s->coordinates[s->mass_functions[0].i].node].name, what);
}
