import { createServer } from 'node:net'

export type Ports = { edge: number; origin: number; chain: number }

/** The settings that choose the ports, with their defaults; 0 takes any that is free. */
const SETTINGS: Record<keyof Ports, { name: string; port: number }> = {
  edge: { name: 'SVC_EDGE_PORT', port: 8787 },
  origin: { name: 'SVC_ORIGIN_PORT', port: 8788 },
  chain: { name: 'SVC_CHAIN_PORT', port: 8545 },
}

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
  return {
    edge: await choose('edge', environment),
    origin: await choose('origin', environment),
    chain: await choose('chain', environment),
  }
}

async function choose(which: keyof Ports, environment: NodeJS.ProcessEnv): Promise<number> {
  const { name, port } = SETTINGS[which]
  const wanted = environment[name] ?? String(port)
  if (!/^\d{1,5}$/.test(wanted) || Number(wanted) > 65_535)
    throw new PortUnusable(`${name}=${wanted} is not a port: use 0 to 65535, 0 for any`)
  const free = await tryPort(Number(wanted))
  if (free !== undefined) return free
  throw new PortUnusable(`port ${wanted} is in use: stop what listens there, or set ${name}`)
}

/** The port, or any for 0, if it can be listened on; else `undefined`. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const taken = typeof address === 'object' && address !== null ? address.port : undefined
      server.close(() => resolve(taken))
    })
  })
}
