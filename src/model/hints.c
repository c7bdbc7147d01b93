/* Hints for words that other programs use and model files do not: keys of MuJoCo, Drake, URDF,
 * Chrono and Exudyn, and units behind numbers. */
#include "model/hints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct hint {
    const char *noun, *keys, *text; /* keys with a space around each */
} hint;

#define BETWEEN "write between: [first, second], where 'ground' is the space itself"
static const hint hints[] = {
    {"joint", " parent child body1 body2 bodies link1 link2 bodyNumbers body ", BETWEEN},
    {"joint", " position pos origin point ", "write at: [x, y, z], in space"},
    {"joint", " limits range limit ", "write lower, upper and stop_stiffness or stop_restitution"},
    {"joint", " velocity initial_velocity speed ", "write rate or sliding"},
    {"joint", " k spring ", "write stiffness"},
    {"joint", " d c damper friction ", "write damping"},
    {"joint", " angle initial ", "turn the body with its rotation; coordinates begin at zero"},
    {"support", " body node ", "write on: the body or its point"},
    {"spring", " k c ", "write stiffness"},
    {"spring", " d damper ", "write damping"},
    {"spring", " rest rest_length l0 free_length ", "write length"},
    {"spring", " body1 body2 from to parent child ", BETWEEN},
    {"damper", " d c viscosity ", "write damping"},
    {"damper", " body1 body2 from to parent child ", BETWEEN},
    {"body", " pos location xyz origin ", "write position"},
    {"body", " quat quaternion orientation rpy euler rot ",
     "write rotation: {axis: [x, y, z], angle: a}, {quaternion: [w, x, y, z]} or {euler: xyz, "
     "angles: [a, b, c]}"},
    {"body", " com center_of_mass centre cog ", "write center"},
    {"body", " m ", "write mass"},
    {"body", " omega w angvel ", "write angular_velocity"},
    {"body", " v vel linear_velocity ", "write velocity"},
    {"body", " J I inertia_tensor moments ", "write inertia: [Jxx, Jyy, Jzz]"},
    {"body", " shape geometry geom visual collision ", "write shapes"},
    {"body", " size radius height length width ",
     "write shapes: {type: box, size: [x, y, z], ...}"},
    {"body", " fixed static ", "write a support of type fixed"},
    {"point", " pos location xyz ", "write position"},
    {"point", " v vel ", "write velocity"},
    {"point", " m ", "write mass"},
    {"shape", " length half_size extents dimensions ", "write size: [x, y, z], whole edges"},
    {"shape", " diameter ", "write radius"},
    {"shape", " h ", "write height"},
    {"load", " body at point ", "write on: the body or its point"},
    {"load", " torque ", "write moment"},
    {"load", " function f signal ", "write force: [x, y, z] and its factor time: sin(t)"},
    {"run", " dt timestep time_step h stepsize step_size ", "write step"},
    {"run", " t_end tend tEnd duration time t stop stop_time end_time endTime ", "write end"},
    {"run", " integrator solver method ", "write scheme, or constraints"},
    {"run", " steps n number_of_steps ", "write step and end"},
    {"model", " g ", "write gravity: [0, 0, -9.81]"},
    {"model", " links rigid_bodies body rigidBodies ", "write bodies"},
    {"model", " constraints connections connectors ", "write joints, supports or rods"},
    {"model", " forces torques actuators motors ", "write loads, or keys of a joint"},
    {"model", " sensors ", "write outputs"},
    {"model", " simulation solver options settings ", "write run"},
    {"model", " variables constants params ", "write parameters"},
};

const char *olo_hint_key(const char *noun, const char *key)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        const size_t length = strlen(key);
        if (strcmp(hints[i].noun, noun) != 0)
            continue;
        for (const char *at = strstr(hints[i].keys, key); at && length > 0;
             at = strstr(at + 1, key))
            if (at[-1] == ' ' && at[length] == ' ')
                return hints[i].text;
    }
    return NULL;
}

const char *olo_hint_number(const char *text)
{
    static const char degrees[] = "angles are in radians: write 90*deg for 90 degrees";
    static const char units[] =
        "units are not written: give the number alone, all in one system such as m, kg, s";
    char *end;
    (void)strtod(text, &end);
    if (end == text)
        return NULL;
    while (*end == ' ')
        end++;
    if (strcmp(end, "deg") == 0 || strcmp(end, "degrees") == 0 || strcmp(end, "°") == 0)
        return degrees;
    if (!isalpha((unsigned char)*end))
        return NULL;
    /* letters, and what units are made of: kg*m^2, N/mm, m/s^2 */
    return strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/*^.23- ") ==
                   strlen(end)
               ? units
               : NULL;
}
