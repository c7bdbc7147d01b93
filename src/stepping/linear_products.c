/* Products with the matrices of a linearised step. The matrices are not assembled: products are
 * sums over terms, actions and rows. */
#include "stepping/linear_step_private.h"

#include <string.h>

#include "linalg/small.h"

/* out += K w of all actions, or K^T w */
static void add_actions(const olo_linear_step *x, const double *K, bool transposed, const double *w,
                        double *out)
{
    for (int i = 0; i < x->pieces; i++)
        small_add_indexed(olo_piece_size(x->system, x->piece[i]),
                          olo_piece_index(x->system, x->piece[i]), K + x->offset[i], 1.0,
                          transposed, w, out);
}

/* out += (dT/dq_a) w, or its transpose, of inertia, terms and actions */
static void add_pieces(olo_linear_step *x, olo_slot a, bool transposed, const double *w,
                       double *out)
{
    const olo_interval over = olo_step_interval(&x->step);
    const bool start = a == OLO_SLOT_Q0;
    olo_linear_add_mass(x, (start ? -2 : 2) / x->step.h, w, out);
    for (int i = 0; i < x->term_count; i++)
        olo_term_linear_times(&x->system->terms[x->term[i]], &over, &x->terms[i], start ? 0 : 1,
                              transposed, x->step.h, w, out);
    add_actions(x, start ? x->K0 : x->K1, transposed, w, out);
}

/* out += sum mu_i (dd_i/da) w over rows that are not internal, or the transpose */
static void add_rows(const olo_linear_step *x, olo_slot a, bool transposed, const double *w,
                     double *out)
{
    const olo_system *s = x->system;
    const olo_evaluation *how = &x->scheme->evaluation;
    const olo_interval over = olo_step_interval(&x->step);
    for (int b = 0; b < x->curved_count; b++) {
        const int c = x->curved[b];
        const olo_constraint *row = &s->constraints[c];
        double in[OLO_FORM_SIZE_MAX], product[OLO_FORM_SIZE_MAX], factor = x->over.mu[c];
        if (factor == 0)
            continue;
        if (!row->form) {
            olo_piece_first(s, how, olo_piece_of_constraint(s, c), &over, a, x->step.K);
            small_add_indexed(row->size, row->index, x->step.K, factor, transposed, w, out);
            continue;
        }
        /* its Hessian is constant: no matrix */
        olo_constraint_gather(row, w, in);
        olo_form_hessian_times(row->form, in, product);
        factor *= how->at_start ? 1.0 : 0.5;
        for (int k = 0; k < row->size; k++)
            out[row->index[k]] += factor * product[k];
    }
    olo_frames_add(s, x->over.Lambda, how->at_start ? 1.0 : 0.5, w, out);
}

void olo_linear_add_start_rows(const olo_linear_step *x, bool transposed, const double *w,
                               double *out)
{
    add_rows(x, OLO_SLOT_Q0, transposed, w, out);
}

void olo_linear_subtract_end_rows(const olo_linear_step *x, const double *w, double *out)
{
    const olo_system *s = x->system;
    olo_at end = olo_step_solved_end(&x->step);
    for (int b = 0; b < x->curved_count; b++) {
        int c = x->curved[b];
        const olo_constraint *row = &s->constraints[c];
        double product[OLO_FORM_SIZE_MAX];
        if (x->end.rows.mu[c] == 0)
            continue;
        olo_rate_by_configuration(row, &end, w, product);
        for (int k = 0; k < row->size; k++)
            out[row->index[k]] -= x->end.rows.mu[c] * product[k];
    }
    olo_frames_add(s, x->end.rows.Lambda, -1.0, w, out);
}

void olo_linear_add_mass(olo_linear_step *x, double factor, const double *w, double *out)
{
    olo_system_mass_times(x->system, w, x->z);
    for (int i = 0; i < x->system->n; i++)
        out[i] += factor * x->z[i];
}

void olo_linear_add_start(olo_linear_step *x, bool transposed, const double *w, double *rho)
{
    add_pieces(x, OLO_SLOT_Q0, transposed, w, rho);
    olo_linear_add_start_rows(x, transposed, w, rho);
}

void olo_linear_add_end(olo_linear_step *x, bool transposed, const double *w, double *out)
{
    add_pieces(x, OLO_SLOT_Q1, transposed, w, out);
    if (!x->scheme->evaluation.at_start)
        add_rows(x, OLO_SLOT_Q1, transposed, w, out);
}

void olo_linear_add_node_forces(const olo_linear_step *x, int a, bool transposed, const double *w,
                                double *out)
{
    if (x->scheme->evaluation.at_nodes)
        add_actions(x, a ? x->D1 : x->D0, transposed, w, out);
}
