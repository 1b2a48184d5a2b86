import { afterEach } from 'vitest'
import type { OutboundEnvironment, RunOutbound } from '../../../origin/actions/outbound/outbound.ts'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import type { OutboundPolicy } from '../../../origin/actions/outbound/policy.ts'
import type { OutboundResult } from '../../../origin/actions/outbound/run-outbound.ts'
import type { Respond } from '../../doubles/web-server.ts'
import { startRawServer, startWebServer } from '../../doubles/web-server.ts'
import type { Socket } from 'node:net'

export type Answered = Extract<OutboundResult, { ok: true }>
export type Refused = Extract<OutboundResult, { ok: false }>
export type Ask = Partial<{
  method: string
  headers: [string, string][]
  redirect: string
  body: string | Uint8Array
  signal: AbortSignal
}>

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Closes `thing` at the end of the test. */
export function closedAfterwards<T extends { close(): unknown }>(thing: T): T {
  closing.push(() => thing.close())
  return thing
}

/** Creates a run with these ports of 127.0.0.1 allowed, as an operator does for local development. */
export function runWith(
  ports: readonly number[],
  world: OutboundEnvironment = {},
  policy: Partial<OutboundPolicy> = {},
): RunOutbound {
  const allow = ports.map((port) => ({ host: '127.0.0.1', port }))
  return closedAfterwards(new Outbound({ allow, deny: [], ...policy }, world).forRun())
}

export function ask(run: RunOutbound, url: string, { body, signal, ...request }: Ask = {}) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array(0))
  const whole = { url, method: 'GET', headers: [], redirect: 'follow', ...request }
  return run.fetch(whole, bytes, signal ?? new AbortController().signal)
}

export async function answered(run: RunOutbound, url: string, request?: Ask): Promise<Answered> {
  const answer = await ask(run, url, request)
  if (!answer.ok) throw new Error(`refused: ${answer.message}`)
  return answer
}

export async function refused(run: RunOutbound, url: string, request?: Ask): Promise<Refused> {
  const answer = await ask(run, url, request)
  if (answer.ok) throw new Error(`answered: ${answer.value.status} of ${answer.value.url}`)
  return answer
}

export const textOf = ({ bytes }: Answered): string => Buffer.from(bytes).toString()

/** Starts a server, and a run that can reach it. */
export async function serving(respond: Respond, world?: OutboundEnvironment) {
  const server = closedAfterwards(await startWebServer(respond))
  return { server, run: runWith([server.port], world), url: `http://127.0.0.1:${server.port}` }
}

/** Starts a server that sends raw bytes, and a run that can reach it. */
export async function speaking(speak: (socket: Socket) => void, world?: OutboundEnvironment) {
  const server = closedAfterwards(await startRawServer(speak))
  return { server, run: runWith([server.port], world), url: `http://127.0.0.1:${server.port}` }
}

/** Timeouts short enough for a test, in milliseconds. */
export const SHORT = { connect: 1_000, answer: 300, idle: 300 }

/** Sends an endless response as fast as the client reads it. */
export function speakEndlessly(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n')
  const part = Buffer.alloc(65_536, 'x')
  const more = () => {
    while (!socket.destroyed && socket.write(part));
  }
  socket.on('drain', more)
  more()
}
