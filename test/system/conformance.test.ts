import { fundedWallets } from '../../origin/stack/funded-wallets.ts'
import { SERVED } from '../conformance/areas.ts'
import { holdsToTheContract } from '../conformance/suite.ts'
import { startProcessor } from '../doubles/processor/server.ts'
import { startWebServer } from '../doubles/web-server.ts'
import { attestationTools } from './attestation-tools.ts'
import { startStack } from './stack.ts'

/**
 * Starts a stack with the tools that journeys need: a web server that actions may call, with a short response and one
 * of a byte above the limit; a payment processor; and a funded wallet on the stack's chain, which triggers watch too.
 */
async function startWithTools() {
  const server = await startWebServer(({ url }, response) =>
    response.end(Buffer.alloc(url === '/large' ? 1_000_001 : 100, 'x')),
  )
  const processor = await startProcessor()
  const stack = await startStack({
    originSettings: { SVC_OUTBOUND_ALLOW: `127.0.0.1:${server.port}`, ...processor.settings },
  })
  const { wallet, close } = fundedWallets(stack.stack.chainUrl)
  const { privateKey: fundedKey } = await wallet()
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`
  return {
    ...stack,
    tools: {
      ...attestationTools(stack.stack),
      eventChain: { name: 'ethereum', rpcUrl: stack.stack.chainUrl, fundedKey },
      outbound: { small: at('/small'), large: at('/large') },
      pay: ({ clientSecret }: { clientSecret: string }) => processor.pay(clientSecret),
    },
    stop: async () => {
      close()
      await stack.stop()
      await server.close()
      await processor.close()
    },
  }
}

holdsToTheContract(startWithTools, SERVED)
