/** Tests the chain reader against real servers that misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { HttpChainReader } from '../../edge/chain/rpc/http-chain-reader.ts'
import { ChainNode } from '../doubles/chain-node/chain-node.ts'
import { ScriptedChain } from '../doubles/chain-node/scripted-chain.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => handler(request, response, Buffer.concat(chunks).toString()))
    response.on('error', () => {})
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const chain = new ScriptedChain()
chain.mineEmpty(20)

const honest: Handler = (_, response, body) => {
  const answer = new ChainNode(chain).answer(body)
  if (typeof answer === 'string') return void response.destroy()
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

/** @param late resolves when the ten-second response timeout should pass */
function readerOf(endpoints: string[], late: Promise<void> = new Promise(() => {})) {
  return new HttpChainReader({
    endpoints,
    chainId: 1,
    fetch: (url, init) => fetch(url, init),
    now: Date.now,
    sleep: () => late,
    random: Math.random,
    log: () => {},
  })
}

const failuresOf = (question: Promise<unknown>) =>
  question.then(
    () => 'none',
    (error: { failures?: unknown }) => error.failures,
  )

describe('HttpChainReader', () => {
  it('reads the chain', async () => {
    const tip = await readerOf([await serve(honest)]).tip(['safe'])
    expect(tip.latest.hash).toBe(chain.head.hash)
  })

  it('reads compressed responses', async () => {
    const url = await serve((_, response, body) => {
      const answer = new ChainNode(chain).answer(body) as { body: string }
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(answer.body))
    })
    expect((await readerOf([url]).tip([])).latest.number).toBe(20)
  })

  it.each<[string, string, Handler]>([
    ['closes the connection', 'unreachable', (_, response) => void response.destroy()],
    [
      'stops in the middle',
      'cut',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' })
        response.write('[{"id":1,', () => response.destroy())
      },
    ],
    [
      'says that rubbish is compressed',
      'cut',
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('rubbish'),
    ],
    ['answers rubbish', 'not_json', (_, response) => void response.end(Buffer.alloc(4096, 0xff))],
    ['answers nothing', 'not_json', (_, response) => void response.end()],
    [
      'is a server of another thing',
      'http_404',
      (_, response) => void response.writeHead(404).end(),
    ],
  ])('fails over if an endpoint %s', async (_, failure, handler) => {
    const [bad, good] = [await serve(handler), await serve(honest)]
    expect(await failuresOf(readerOf([bad]).tip([]))).toEqual([failure])
    expect((await readerOf([bad, good]).tip([])).latest.number).toBe(20)
  })

  it('fails over if an endpoint does not listen', async () => {
    const gone = await serve(honest)
    await closing.pop()!()
    expect(await failuresOf(readerOf([gone]).tip([]))).toEqual(['unreachable'])
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['that hangs', () => {}],
    ['that hangs after its head', (response) => response.writeHead(200).flushHeaders()],
    [
      'that drips',
      (response) => {
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ])('closes the connection to an endpoint %s', async (_, behave) => {
    let pass = () => {}
    const late = new Promise<void>((resolve) => (pass = resolve))
    let ended!: Promise<void>
    const url = await serve((_request, response) => {
      ended = new Promise((closed) => response.on('close', closed))
      behave(response)
      setImmediate(pass)
    })
    expect(await failuresOf(readerOf([url], late).tip([]))).toEqual(['timeout'])
    await ended
  })

  it('response flood: stops reading at its limit, regardless of the content length', async () => {
    let written = 0
    let ended!: Promise<void>
    const url = await serve((_, response) => {
      ended = new Promise((closed) => response.on('close', closed))
      const part = Buffer.alloc(1024 * 1024, 0x20)
      const more = () => {
        while (!response.destroyed && written < 512 && response.write(part)) written++
      }
      response.on('drain', more)
      more()
    })
    expect(await failuresOf(readerOf([url]).tip([]))).toEqual(['too_large'])
    await ended
    expect(written).toBeLessThan(256)
  })

  it('key leak: does not follow a redirect, so no other host sees the API key', async () => {
    const heard: string[] = []
    const elsewhere = await serve((request, response, body) => {
      heard.push(request.url!)
      honest(request, response, body)
    })
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((request, response) => {
        response.writeHead(status, { location: elsewhere + request.url }).end()
      })
      expect(await failuresOf(readerOf([`${url}/key`]).tip([]))).toEqual(['redirected'])
    }
    expect(heard).toEqual([])
  })
})
