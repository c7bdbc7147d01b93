/* Latched constraint groups: a foot that stays where it lands, a rod that is as long as the
 * distance when it closes. Its constants are not given; they follow from the configuration q at
 * which it closes and are numbers of the state, one per row:
 *
 *     g(q') - g(q) = 0
 *
 * for every row g of the group. A joint point that two moving bodies have in common has rows
 * x = 0 along directions a_r of space, x from its point in one body to that in the other, and a
 * vector that is constant in space would exert a moment: there x at the closing is fixed in the
 * other body,
 *
 *     a_r.(x(q') - y_i d_i(q')) = 0,     y_i = d_i(q).x(q).
 */
#ifndef OLO_KINEMATICS_LATCH_H
#define OLO_KINEMATICS_LATCH_H

#include "system/system.h"

/* The constants of a group of forms and relations at a configuration, one per row. */
void olo_latch_constants(const olo_system *system, const olo_group *group, const olo_at *at,
                         double *constants);
/* Gives them to the rows of the group in a mode of the system. The joint of the group satisfies
 * these rows no longer, they are those of a closure. False: no memory. */
bool olo_latch(const olo_system *system, olo_group *group, const double *constants,
               olo_system *mode);

#endif
