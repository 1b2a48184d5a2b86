import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { PORT_SETTINGS, type Ports } from './stack-settings.ts'

export class PortUnusable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PortUnusable'
  }
}

/**
 * Chooses the ports of a stack. Each of them is free at this moment.
 * @throws {PortUnusable} naming the setting
 */
export async function choosePorts(environment: NodeJS.ProcessEnv): Promise<Ports> {
  const edge = await choose('edge', environment, [])
  const origin = await choose('origin', environment, [edge])
  const chain = await choose('chain', environment, [edge, origin])
  return { edge, origin, chain }
}

async function choose(
  which: keyof Ports,
  environment: NodeJS.ProcessEnv,
  others: readonly number[],
): Promise<number> {
  const { name, port } = PORT_SETTINGS[which]
  const wanted = environment[name] ?? String(port)
  if (!/^\d{1,5}$/.test(wanted) || Number(wanted) > 65_535)
    throw new PortUnusable(`${name}=${wanted} is not a port: use 0 to 65535, 0 for any`)
  if (Number(wanted) === 0) return freePort(others)
  if (await isFree(Number(wanted))) return Number(wanted)
  throw new PortUnusable(`port ${wanted} is in use: stop what listens there, or set ${name}`)
}

/**
 * Range below the ephemeral ports of operating systems (from 32,768 on Linux, 49,152 elsewhere). An outgoing connection
 * could occupy an ephemeral port while its server is starting or restarting.
 */
const LOWEST = 20_000
const HIGHEST = 32_000
const TRIES = 100

/**
 * Returns a port of this machine that is free and not in `others`.
 * @throws {PortUnusable}
 */
export async function freePort(others: readonly number[] = []): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (!others.includes(port) && (await isFree(port))) return port
  }
  throw new PortUnusable(`no port from ${LOWEST} to ${HIGHEST} is free`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
