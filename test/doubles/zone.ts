/** Authoritative DNS server over UDP with the records of a test. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode } from 'dns-packet'

/** CAA values, alias target, or failure code (2 SERVFAIL, 5 REFUSED) of each name. */
export type Zone = Record<string, { caa?: string[]; alias?: string; fails?: number }>

/** Does not follow aliases: answers with the `CNAME` only, like a server that is not authoritative for the target. */
export async function startZone(zone: Zone) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (bytes, from) => {
    const { id, questions } = decode(bytes)
    const question = questions![0]!
    asked.push(`${question.type} ${question.name}`)
    const found = zone[question.name]
    const owner = { name: question.name, class: 'IN', ttl: 0 } as const
    const records = (question.type === 'CAA' ? (found?.caa ?? []) : []).map((value) => ({
      ...owner,
      type: 'CAA' as const,
      data: { flags: 0, tag: 'issue' as const, value },
    }))
    const aliases = found?.alias ? [{ ...owner, type: 'CNAME' as const, data: found.alias }] : []
    const code = found ? (found.fails ?? 0) : 3
    const reply = encode({
      type: 'response',
      id: id!,
      flags: 1024 | code,
      questions: [question],
      answers: [...aliases, ...records],
    })
    socket.send(reply, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise<void>((closed) => socket.close(() => closed())),
  }
}
