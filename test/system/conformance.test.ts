import { SERVED } from '../conformance/areas.ts'
import { holdsToTheContract } from '../conformance/suite.ts'
import { startWebServer } from '../doubles/web-server.ts'
import { startStack } from './stack.ts'

/** What actions may fetch here: a short answer, and one of a byte more than they may have. */
async function startWithOutbound() {
  const server = await startWebServer(({ url }, response) =>
    response.end(Buffer.alloc(url === '/large' ? 1_000_001 : 100, 'x')),
  )
  const stack = await startStack({ SVC_OUTBOUND_ALLOW: `127.0.0.1:${server.port}` })
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`
  return {
    ...stack,
    tools: { outbound: { small: at('/small'), large: at('/large') } },
    stop: async () => {
      await stack.stop()
      await server.close()
    },
  }
}

holdsToTheContract(startWithOutbound, SERVED)
