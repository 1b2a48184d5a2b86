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
 * The ports of a stack, each of them free at this moment.
 * @throws {PortUnusable} that names the setting
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
 * Below those that systems give to outgoing connections (32,768 on Linux, 49,152 elsewhere): such a one could have the
 * port while who was to listen on it starts, or starts again.
 */
const LOWEST = 20_000
const HIGHEST = 32_000
const TRIES = 100

/** A port of this machine that nobody listens on, and none of `others`. @throws {PortUnusable} */
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
