import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { PORT_SETTINGS, type Ports } from './stack-settings.ts'

export class PortUnusableError extends Error {
  override readonly name = 'PortUnusableError'
}

/**
 * Chooses the stack's ports. All of them are free at the time of the call.
 * @throws {PortUnusableError} if a port cannot be used; the message names the port's setting
 */
export async function choosePorts(environment: NodeJS.ProcessEnv): Promise<Ports> {
  const edge = await choosePort('edge', environment, [])
  const origin = await choosePort('origin', environment, [edge])
  const chain = await choosePort('chain', environment, [edge, origin])
  return { edge, origin, chain }
}

async function choosePort(
  which: keyof Ports,
  environment: NodeJS.ProcessEnv,
  others: readonly number[],
): Promise<number> {
  const { name, port } = PORT_SETTINGS[which]
  const wanted = environment[name] ?? String(port)
  if (!/^\d{1,5}$/.test(wanted) || Number(wanted) > 65_535)
    throw new PortUnusableError(
      `${name}=${wanted} is not a valid port; use 0 to 65535, where 0 selects any free port`,
    )
  if (Number(wanted) === 0) return freePort(others)
  if (await isFree(Number(wanted))) return Number(wanted)
  throw new PortUnusableError(
    `port ${wanted} is in use; stop the process that listens there, or set ${name}`,
  )
}

/**
 * Range of automatically chosen ports. It is below the ephemeral ports, which start at 32,768 on Linux and at 49,152
 * elsewhere. Otherwise, an outgoing connection could occupy a server's port while the server restarts.
 */
const LOWEST = 20_000
const HIGHEST = 32_000
const TRIES_MAX = 100

/** @throws {PortUnusableError} if no free port outside `others` is found */
export async function freePort(others: readonly number[] = []): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (!others.includes(port) && (await isFree(port))) return port
  }
  throw new PortUnusableError(`no free port from ${LOWEST} to ${HIGHEST}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
