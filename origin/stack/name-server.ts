/** Runs a name server that publishes which ACME account may obtain certificates for the local stack's domain. */
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Packet, type Question } from 'dns-packet'

export type LocalNameServer = {
  /** Address in the form `127.0.0.1:port`. */
  address: string
  close(): Promise<void>
}

/** Domain of the local certificate authority. It does not exist in the public DNS. */
const LOCAL_CA = 'ca.invalid'
/** DNS flag of an authoritative response, and response code of a refusal (RFC 1035, section 4.1.1). */
const AUTHORITATIVE = 1 << 10
const REFUSED = 5
const TTL_S = 60

/**
 * Starts the name server on a UDP port of the loopback address. It answers CAA queries (RFC 8659) for one domain,
 * refuses other names, and ignores invalid packets.
 * @param accountUri the only ACME account that may obtain certificates for the domain
 */
export async function startNameServer(
  domain: string,
  accountUri: string,
): Promise<LocalNameServer> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes: Buffer, from: RemoteInfo) => {
    const reply = replyTo(bytes, domain, accountUri)
    if (reply) socket.send(reply, from.port, from.address)
  })
  // A failure to send a response is ignored, because the client will repeat its query.
  socket.on('error', () => {})
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((closed) => socket.close(() => closed())),
  }
}

function replyTo(bytes: Buffer, domain: string, accountUri: string): Buffer | undefined {
  const query = decoded(bytes)
  const question = query?.questions?.[0]
  if (query?.type !== 'query' || !question) return undefined
  const known = question.name.toLowerCase() === domain
  return encode({
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: AUTHORITATIVE | (known ? 0 : REFUSED),
    questions: [question],
    answers: known && question.type === 'CAA' ? [caaRecord(question, accountUri)] : [],
  })
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return decode(bytes)
  } catch {
    return undefined // The packet is not a valid DNS message.
  }
}

/**
 * Returns a CAA record with the permitted ACME account, and the method by which the account must prove control of the
 * domain (RFC 8657).
 */
function caaRecord({ name }: Question, accountUri: string) {
  const value = `${LOCAL_CA}; validationmethods=http-01; accounturi=${accountUri}`
  return {
    type: 'CAA',
    class: 'IN',
    name,
    ttl: TTL_S,
    data: { flags: 0, tag: 'issue', value },
  } as const
}
