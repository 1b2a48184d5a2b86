/** DNS server over UDP with answers from a test. */
import { createSocket } from 'node:dgram'

export type Question = { name: string; type: 'A' | 'AAAA' | 'other'; nth: number }

/** Addresses of the requested type, an error, or no answer. `{alias, addresses}` answers through a CNAME. */
export type NameAnswer =
  | string[]
  | { alias: string; addresses: string[] }
  | 'unknown'
  | 'failure'
  | 'silence'

export type NameServer = Awaited<ReturnType<typeof startNameServer>>

const TYPES: Record<number, Question['type']> = { 1: 'A', 28: 'AAAA' }

/** @param answer `nth` counts the queries of this name and type from 1 */
export async function startNameServer(answer: (question: Question) => NameAnswer) {
  const socket = createSocket('udp4')
  const asked: Question[] = []
  socket.on('message', (query, from) => {
    const { name, end } = readName(query, 12)
    const type = TYPES[query.readUInt16BE(end)] ?? 'other'
    const nth = asked.filter((before) => before.name === name && before.type === type).length + 1
    const question = { name, type, nth }
    asked.push(question)
    const given = answer(question)
    if (given !== 'silence') socket.send(reply(query, end, given), from.port, from.address)
  })
  await new Promise<void>((listening) => socket.bind(0, '127.0.0.1', listening))
  const { port } = socket.address()
  return {
    /** In the format of `nameServers`. */
    address: `127.0.0.1:${port}`,
    asked,
    close: () => new Promise<void>((closed) => socket.close(closed)),
  }
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function reply(query: Buffer, nameEnd: number, given: Exclude<NameAnswer, 'silence'>): Buffer {
  const question = query.subarray(12, nameEnd + 4)
  const code = given === 'unknown' ? 3 : given === 'failure' ? 2 : 0
  const records: Buffer[] = []
  if (typeof given === 'object') {
    const addresses = Array.isArray(given) ? given : given.addresses
    if (!Array.isArray(given))
      records.push(record(question.subarray(0, -4), 5, encodeName(given.alias)))
    const owner = Array.isArray(given) ? question.subarray(0, -4) : encodeName(given.alias)
    for (const address of addresses) {
      const data = addressBytes(address)
      records.push(record(owner, data.length === 4 ? 1 : 28, data))
    }
  }
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question, ...records])
}

/** Builds a record with a TTL of 0, as an attacker would. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fixed, data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.alloc(1)])
}

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [front = '', back] = address.split('::')
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => parseInt(word, 16))
  const after = words(back ?? '')
  const before = words(front)
  const zeros = back === undefined ? 0 : 8 - before.length - after.length
  const all = [...before, ...Array<number>(zeros).fill(0), ...after]
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}
