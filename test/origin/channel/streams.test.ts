import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyIdOf, openRequest } from '../../../origin/channel/open-request.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { STREAM_LENGTH_BYTES, STREAM_START_BYTES } from '../../../shared/envelope/format.ts'
import {
  importChannelKey,
  ResponseDecryptionError,
  sealCall,
  type SealedCall,
} from '../../../shared/envelope/seal.ts'
import { SEALED_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'

const channel = new Keyring(randomBytes(32)).channelKey(1)
const psk = Uint8Array.from(randomBytes(32))
const keys = {
  keyFor: (id: string) => (id === keyIdOf(channel.publicKey) ? channel : undefined),
  psk,
}
const toChannel = await importChannelKey(Uint8Array.from(channel.publicKey))
const path = '/sealed/runs'

async function exchange() {
  const plaintext = Uint8Array.from(Buffer.from('{}'))
  const call = await sealCall(toChannel, { method: 'POST', path, plaintext, psk })
  return { call, opened: openRequest(keys, 'POST', path, call.body) }
}

/** Returns the parts of a stream: its start, and each sealed message. */
async function streamOf(...texts: string[]) {
  const { call, opened } = await exchange()
  const { start, seal } = opened.sealStream()
  return { call, opened, start, messages: texts.map((text) => seal(Buffer.from(text))) }
}

async function* chunked(bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0
  for (const size of sizes) {
    yield bytes.subarray(at, at + size)
    at += size
  }
  yield bytes.subarray(at)
}

/** Returns the messages that were decrypted before the stream ended or failed. */
async function read(call: SealedCall, bytes: Uint8Array, sizes: readonly number[] = []) {
  const texts: string[] = []
  try {
    for await (const message of call.openStream(chunked(bytes, sizes)))
      texts.push(Buffer.from(message).toString())
  } catch (error) {
    expect(error).toBeInstanceOf(ResponseDecryptionError)
    return { texts, failed: true }
  }
  return { texts, failed: false }
}

const nothing = { texts: [], failed: true }

describe('a sealed stream', () => {
  it('returns the same messages for every chunking of its bytes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 60 }), { maxLength: 6 }),
        fc.array(fc.nat(50), { maxLength: 40 }),
        async (texts, sizes) => {
          const { call, start, messages } = await streamOf(...texts)
          const stream = Buffer.concat([start, ...messages])
          expect(await read(call, stream, sizes)).toEqual({ texts, failed: false })
        },
      ),
    ))

  it('returns each message as soon as its last byte has arrived', async () => {
    const { call, start, messages } = await streamOf('first', 'second')
    const parts = [start, ...messages].values()
    let sent = 0
    const body = (async function* () {
      for (const part of parts) {
        sent++
        yield part
      }
    })()
    const stream = call.openStream(body)
    for (const [text, partsSent] of [
      ['first', 2],
      ['second', 3],
    ]) {
      const { value } = await stream.next()
      expect([Buffer.from(value!).toString(), sent]).toEqual([text, partsSent])
    }
    expect((await stream.next()).done).toBe(true)
  })

  it('reordering: swapped messages do not open', async () => {
    const { call, start, messages } = await streamOf('a', 'b', 'c')
    const [a, b, c] = messages as [Buffer, Buffer, Buffer]
    expect(await read(call, Buffer.concat([start, b, a, c]))).toEqual(nothing)
    expect(await read(call, Buffer.concat([start, a, c, b]))).toEqual({
      texts: ['a'],
      failed: true,
    })
  })

  it('repetition: a message does not open twice', async () => {
    const { call, start, messages } = await streamOf('a', 'b')
    const [a, b] = messages as [Buffer, Buffer]
    expect(await read(call, Buffer.concat([start, a, a, b]))).toEqual({
      texts: ['a'],
      failed: true,
    })
  })

  it('suppression: the messages after a dropped one do not open', async () => {
    const { call, start, messages } = await streamOf('a', 'b', 'c')
    const [a, , c] = messages as [Buffer, Buffer, Buffer]
    expect(await read(call, Buffer.concat([start, a, c]))).toEqual({ texts: ['a'], failed: true })
  })

  it('insertion: a message of another stream of the same request does not open', async () => {
    const { call, opened, start, messages } = await streamOf('a', 'b')
    const forged = opened.sealStream()
    forged.seal(Buffer.from('a'))
    const inserted = forged.seal(Buffer.from('forged'))
    const stream = Buffer.concat([start, messages[0]!, inserted])
    expect(await read(call, stream)).toEqual({ texts: ['a'], failed: true })
  })

  it('bit flipping: no byte can be changed without an error', async () => {
    const { call, start, messages } = await streamOf('a', 'b')
    const stream = Buffer.concat([start, ...messages])
    for (let at = 0; at < stream.length; at++) {
      const changed = Buffer.from(stream)
      changed[at]! ^= 1
      const { texts, failed } = await read(call, changed)
      expect(failed, `byte ${at}`).toBe(true)
      expect(texts).toEqual(at < STREAM_START_BYTES + messages[0]!.length ? [] : ['a'])
    }
  })

  it('truncation: fails unless it ends between two messages', async () => {
    const { call, start, messages } = await streamOf('a', 'b')
    const stream = Buffer.concat([start, ...messages])
    const ends = [start.length, start.length + messages[0]!.length, stream.length]
    for (let length = 0; length <= stream.length; length++) {
      const { failed } = await read(call, stream.subarray(0, length))
      expect(failed, `${length} bytes`).toBe(!ends.includes(length))
    }
  })

  it('replay: a stream in response to one request does not open for another', async () => {
    const { start, messages } = await streamOf('a')
    const { call } = await exchange()
    expect(await read(call, Buffer.concat([start, ...messages]))).toEqual(nothing)
  })

  it('confusion: a single response does not open as a stream, nor a message as a response', async () => {
    const { call, opened } = await exchange()
    const response = opened.sealResponse(Buffer.from('single'))
    const [start, text] = [STREAM_START_BYTES, response.length - STREAM_START_BYTES]
    const length = Buffer.alloc(STREAM_LENGTH_BYTES)
    length.writeUInt32BE(text)
    const asStream = Buffer.concat([response.subarray(0, start), length, response.subarray(start)])
    expect(await read(call, asStream)).toEqual(nothing)
    const stream = opened.sealStream()
    const message = stream.seal(Buffer.from('message')).subarray(STREAM_LENGTH_BYTES)
    const asResponse = Uint8Array.from(Buffer.concat([stream.start, message]))
    await expect(call.open(asResponse)).rejects.toBeInstanceOf(ResponseDecryptionError)
  })

  it('memory exhaustion: fails at a length that no message has, without reading the message', async () => {
    const { call, start } = await streamOf()
    const length = Buffer.alloc(STREAM_LENGTH_BYTES)
    length.writeUInt32BE(2 * SEALED_RESPONSE_MAX_BYTES)
    let chunks = 0
    const endless = (async function* () {
      yield Buffer.concat([start, length])
      while (chunks++ < 100) yield Buffer.alloc(1024 * 1024)
    })()
    await expect(call.openStream(endless).next()).rejects.toBeInstanceOf(ResponseDecryptionError)
    expect(chunks).toBe(0)
  })
})
