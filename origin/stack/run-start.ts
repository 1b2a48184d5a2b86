/** Runs a stack until it is stopped: the bundled part of `npm start`. */
import { join, resolve } from 'node:path'
import { browserFlag } from './browser-flag.ts'
import { PortUnusableError } from './ports.ts'
import { ChildFailedError } from './child.ts'
import { METRICS_TOKEN_FILE } from './local-secrets.ts'
import { Stack } from './stack.ts'
import { STATE_DIR_DEFAULT } from './stack-settings.ts'
import { StateInUseError } from './state-lock.ts'

const stateDir = resolve(process.env.SVC_STATE_DIR ?? STATE_DIR_DEFAULT)
let starting: Promise<Stack> | undefined
let stopping = false

async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  // Wait until the stack has started, because its processes would otherwise outlive this process.
  const started = await starting?.catch(() => undefined)
  await started?.stop()
  process.exit(code)
}

function fail(error: unknown): Promise<void> {
  const expected =
    error instanceof PortUnusableError ||
    error instanceof StateInUseError ||
    error instanceof ChildFailedError
  console.error(`svc: ${expected ? error.message : String(error)}`)
  return stop(1)
}

function verifyLine(baseUrl: string): string {
  const folder = process.env.SVC_STATE_DIR
  return `${folder === undefined ? '' : `SVC_STATE_DIR=${folder} `}npx --no-install svc verify ${baseUrl}`
}

function print({ baseUrl, triggersUrl, chainUrl, caFile, certificateFile }: Stack): void {
  console.log(`
ready in ${(performance.now() / 1000).toFixed(1)} s

  base_url      ${baseUrl}
  triggers_url  ${triggersUrl}
  chain         ${chainUrl}

Start in a browser:

  ${triggersUrl}/console#start

Or open an account by hand (the key is shown only once):

  curl --cacert ${caFile} ${baseUrl}/core/v1/new_account \\
    -H 'content-type: application/json' \\
    -d '{"account_name":"first","account_description":""}'

Verify the origin:

  ${verifyLine(baseUrl)}

Show its health and metrics:

  curl --cacert ${caFile} ${baseUrl}/health
  curl --cacert ${caFile} ${baseUrl}/metrics -H "authorization: Bearer $(cat ${join(stateDir, METRICS_TOKEN_FILE)})"

Browse the API, in a browser that trusts the certificate until it is closed:

  chromium --user-data-dir="$(mktemp -d)" ${browserFlag(certificateFile)} ${baseUrl}/core/v1/swagger-ui

Press Ctrl-C to stop the stack. Its state is kept in ${stateDir}.
`)
}

// After a Ctrl-C, npm forwards a second signal to this process, which must not interrupt the shutdown.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void stop(0))
// If the parent process `svc up` is killed, Ctrl-C no longer reaches this process, so it stops when the parent
// disconnects.
process.once('disconnect', () => void stop(0))

try {
  const onLine = (component: string, line: string) =>
    console.log(`${component.padEnd(8)} | ${line}`)
  starting = Stack.start({ stateDir, environment: process.env, onLine, onWait: console.log })
  const started = await starting
  if (!stopping) {
    started.onUnexpectedExit((error) => void fail(error))
    print(started)
  }
} catch (error) {
  await fail(error)
}
