/* The chain in MuJoCo compiled to WebAssembly (npm: @mujoco/mujoco), for mujoco.c, which starts this
 * with the path of the package, sends one request per line as JSON, and reads one line for each:
 * "ok" and numbers, or "failed" and the reason.
 *
 * Bodies have hinges, masses and no shapes, so that there are neither contacts nor other constraints.
 */
import { readSync, writeSync } from 'node:fs';

const mujoco = await (await import(process.argv[2])).default();
let model, data, done;

/* The model file: bodies inside of bodies. */
function describe(x)
{
    const words = (numbers) => numbers.join(' ');
    const bodies = x.axes.map((axis, i) =>
        `<body pos="${i > 0 ? x.length : 0} 0 0"><joint axis="${words(axis)}"/>` +
        `<inertial pos="${words(x.center)}" mass="${x.mass}" diaginertia="${words(x.inertia)}"/>`);
    return `<mujoco><compiler angle="radian"/>
        <option integrator="${x.integrator}" timestep="${x.step}" gravity="${words(x.gravity)}"/>
        <worldbody>${bodies.join('')}<site name="tip" pos="${x.length} 0 0"/>
        ${'</body>'.repeat(bodies.length)}</worldbody></mujoco>`;
}

function kineticEnergy()
{
    mujoco.mj_forward(model, data);
    mujoco.mj_energyVel(model, data);
    return data.energy[1];
}

/* Derivatives of the kinetic energy with respect to angles and rates, by central differences. */
function kineticEnergyGradient()
{
    const size = 1e-6;
    return [data.qpos, data.qvel].flatMap((values) => Array.from(values, (value, i) => {
        const [plus, minus] = [size, -size].map((change) => {
            values[i] = value + change;
            return kineticEnergy();
        });
        values[i] = value;
        return (plus - minus) / (2 * size);
    }));
}

const requests = {
    version: () => [mujoco.mj_versionString()],
    start(x)
    {
        data?.delete();
        model?.delete();
        model = mujoco.MjModel.from_xml_string(describe(x));
        data = new mujoco.MjData(model);
        data.qpos.set(x.angles);
        data.qvel.set(x.rates);
        done = 0;
        return [];
    },
    advance(x)
    {
        for (; done < x.steps; done++)
            mujoco.mj_step(model, data);
        return [];
    },
    read()
    {
        const kinetic = kineticEnergy();
        mujoco.mj_energyPos(model, data);
        return [kinetic + data.energy[0], ...data.site_xpos, ...data.qpos, ...data.qvel];
    },
    /* A run, and then backward g = A^T g over all steps, A by forward differences of mjd_transitionFD. */
    gradient(x)
    {
        const n = 2 * model.nv, states = [];
        for (; done < x.steps; done++) {
            states.push([data.qpos.slice(), data.qvel.slice()]);
            mujoco.mj_step(model, data);
        }
        const A = new mujoco.DoubleBuffer(n * n);
        let g = kineticEnergyGradient();
        for (const [angles, rates] of states.reverse()) {
            data.qpos.set(angles);
            data.qvel.set(rates);
            mujoco.mjd_transitionFD(model, data, 1e-6, false, A, null, null, null);
            const entries = A.GetView(), next = new Array(n).fill(0);
            for (let i = 0; i < n; i++)
                for (let j = 0; j < n; j++)
                    next[j] += entries[i * n + j] * g[i];
            g = next;
        }
        A.delete();
        return g;
    },
};

function answer(line)
{
    try {
        const request = JSON.parse(line);
        return `ok ${requests[request.name](request).join(' ')}`;
    } catch (error) {
        return `failed ${String(error.message ?? error).replaceAll('\n', ' ')}`;
    }
}

const buffer = Buffer.alloc(1 << 16);
for (let text = '', size; (size = readSync(0, buffer)) > 0;) {
    text += buffer.toString('latin1', 0, size);
    for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1))
        writeSync(1, `${answer(text.slice(0, end))}\n`);
}
