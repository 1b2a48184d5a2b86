import { Agent, request } from 'node:http'

export type Load = {
  /** URL of the n-th request. */
  url(n: number): string
  body: Buffer
  headers: Record<string, string>
  requests: number
  /** Concurrent requests, each on its own connection. */
  inFlight: number
}

export type LoadResult = { latenciesMs: number[]; perSecond: number }

/** POSTs until all requests are answered. @throws {Error} at the first status other than 202 */
export async function post(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.inFlight })
  const latenciesMs: number[] = []
  let next = 0
  const sender = async () => {
    while (next < load.requests) {
      const url = load.url(next++)
      const began = performance.now()
      await postOnce(agent, url, load)
      latenciesMs.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: load.inFlight }, sender))
  const seconds = (performance.now() - began) / 1000
  agent.destroy()
  return { latenciesMs, perSecond: load.requests / seconds }
}

function postOnce(agent: Agent, url: string, { body, headers }: Load): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) }
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('error', reject)
      response.once('end', () => {
        if (response.statusCode === 202) resolve()
        else reject(new Error(`answered ${response.statusCode}: ${text.slice(0, 300)}`))
      })
    })
    sent.end(body)
  })
}
