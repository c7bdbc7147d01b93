/* Defaults of the structs of a problem. */
#include <math.h>

#include "base/initialised.h"
#include "oloid/optimize.h"

olo_problem_control olo_problem_control_default(void)
{
    return (olo_problem_control){.initialised = OLO_INITIALISED_PROBLEM_CONTROL,
                                 .factor = 1,
                                 .lower = -INFINITY,
                                 .upper = INFINITY,
                                 .rate = INFINITY};
}

olo_problem_parameter olo_problem_parameter_default(void)
{
    return (olo_problem_parameter){.initialised = OLO_INITIALISED_PROBLEM_PARAMETER,
                                   .lower = -INFINITY,
                                   .upper = INFINITY,
                                   .guess = NAN};
}

olo_problem_cost olo_problem_cost_default(void)
{
    return (olo_problem_cost){.initialised = OLO_INITIALISED_PROBLEM_COST,
                              .type = "effort",
                              .weight = 1,
                              .direction = {1, 0, 0}};
}

olo_problem_condition olo_problem_condition_default(void)
{
    return (olo_problem_condition){.initialised = OLO_INITIALISED_PROBLEM_CONDITION,
                                   .at = "end",
                                   .direction = {1, 0, 0},
                                   .value = NAN,
                                   .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .lower = -INFINITY,
                                   .upper = INFINITY};
}

olo_problem_guess olo_problem_guess_default(void)
{
    return (olo_problem_guess){.initialised = OLO_INITIALISED_PROBLEM_GUESS, .at = 1};
}

olo_problem_refinement olo_problem_refinement_default(void)
{
    return (olo_problem_refinement){
        .initialised = OLO_INITIALISED_PROBLEM_REFINEMENT, .tolerance = 1e-3, .most = 3200};
}

olo_problem_feedback olo_problem_feedback_default(void)
{
    return (olo_problem_feedback){.initialised = OLO_INITIALISED_PROBLEM_FEEDBACK,
                                  .position = 1,
                                  .velocity = 1,
                                  .end_position = 1,
                                  .end_velocity = 1,
                                  .control = 1};
}

olo_problem olo_problem_default(void)
{
    return (olo_problem){.initialised = OLO_INITIALISED_PROBLEM,
                         .intervals = 50,
                         .grading = 1,
                         .duration = 1,
                         .end_velocity = "rest",
                         .start_configuration = "given",
                         .start_velocity = "given",
                         .guess = "interpolated",
                         .transcription = "reduced",
                         .scheme = "variational",
                         .tolerance = 1e-10,
                         .iterations = 1000,
                         .seconds = INFINITY,
                         .saddles = 5,
                         .seed = 1,
                         .linear_solver = "mumps"};
}
