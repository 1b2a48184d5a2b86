/**
 * From an empty folder to the result of a run, with the commands of docs/projects.md. Outside of the checkout: with the packed
 * command line, and packages that npm installs.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApprovedToken, signIn } from '../../origin/stack/approved-token.ts'
import { cliPackage } from '../../shared/packaging/build-packages.ts'
import { CLI_PACKAGE } from '../../shared/packaging/package-names.ts'
import { type NpmRegistry, startNpmRegistry } from '../doubles/npm-registry.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const DEAD = '0x000000000000000000000000000000000000dEaD'

const ACTION = `import { defineAction, type WebhookParams } from '@svc-run/cli/action'
import { encodeFunctionData, parseAbi, parseUnits } from 'viem'
import { z } from 'zod'

const Order = z.object({ to: z.string().regex(/^0x[0-9a-fA-F]{40}$/), amount: z.string() })
const erc20 = parseAbi(['function transfer(address to, uint256 amount)'])

export default defineAction(async ({ event }: WebhookParams) => {
  const { to, amount } = Order.parse(event)
  const value = parseUnits(amount, 6)
  if (value > 1_000_000_000n) throw new Error(\`\${amount} is too much\`)
  return encodeFunctionData({ abi: erc20, args: [to as \`0x\${string}\`, value] })
})
`
/** Line and column of \`new Error\` in the source. */
const THROWN_AT = /src\/order\.ts:11:\d+/

const TEST = `import { expect, it } from 'vitest'
import { runAction } from '@svc-run/cli/test'

const order = (amount: string) =>
  runAction('src/order.ts', {
    params: { source: 'webhook', event: { to: '0x000000000000000000000000000000000000dEaD', amount } },
  })

it('encodes a transfer', async () => {
  expect(await order('1.5')).toRespondWith(expect.stringMatching(/^0xa9059cbb.*16e360$/))
})

it('refuses large amounts', async () => {
  const failed = await order('1001')
  expect(failed).toFailWith('action_threw', '1001 is too much')
  expect(failed.error?.stack).toMatch(${THROWN_AT})
})
`

let started: StartedStack
let registry: NpmRegistry
let token: { token: string; email: string }
let folder: string
let environment: Record<string, string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-project-'))
  const packing = cliPackage(join(folder, 'packed'))
  ;[started, registry] = await Promise.all([
    startStack(),
    packing.then((packed) => startNpmRegistry(root, [packed.folder])),
  ])
  token = await createApprovedToken(started.triggersUrl)
  environment = {
    HOME: join(folder, 'home'),
    PATH: [join(folder, 'tools/node_modules/.bin'), process.env['PATH']].join(delimiter),
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    SVC_STATE_DIR: started.stateDir,
    SVC_TOKEN: token.token,
  }
})
afterAll(async () => {
  await registry?.close()
  await started?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function execute(cwd: string, file: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(file, args, { cwd, env: environment }).catch((error) => {
    throw new Error(`${file} ${args.join(' ')} failed:\n${error.stdout}${error.stderr}`)
  })
  return stdout
}

it('creates, tests and deploys a project, and shows the result of its run', async () => {
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  await execute(tools, 'npm', 'install', '--no-audit', '--no-fund', CLI_PACKAGE)
  await execute(folder, 'svc', 'init', 'shop', '--template', 'webhook')
  const shop = join(folder, 'shop')
  await execute(shop, 'npm', 'install', '--no-audit', '--no-fund', 'zod', 'viem')
  writeFileSync(join(shop, 'src/order.ts'), ACTION)
  writeFileSync(join(shop, 'test/order.test.ts'), TEST)
  await execute(shop, 'npm', 'run', 'types')
  expect(await execute(shop, 'svc', 'test')).toContain('5 passed')

  const file = join(shop, 'svc.json')
  const project = JSON.parse(readFileSync(file, 'utf8'))
  project.actions.order = 'src/order.ts'
  project.groups.confirming.actions.push('order')
  project.triggers.orders = { kind: 'webhook', action: 'order', key: 'runner' }
  writeFileSync(file, JSON.stringify(project))
  await execute(shop, 'svc', 'account', 'create')
  expect(await execute(shop, 'svc', 'deploy', '--yes')).toContain('trigger shop/orders')
  expect(await execute(shop, 'svc', 'deploy', '--yes')).toContain('No changes.')

  const fire = async (amount: string) => {
    const body = JSON.stringify({ to: DEAD, amount })
    const args = ['trigger', 'fire', 'shop/orders', '--body', body, '--json']
    const { stdout } = await run('svc', args, { cwd: shop, env: environment }).catch(
      (error: { stdout: string }) => error,
    )
    return JSON.parse(stdout)
  }
  expect(await fire('1.5')).toMatchObject({
    status: 'success',
    response: expect.stringMatching(/^0xa9059cbb.*16e360$/),
  })

  const failed = await fire('1001')
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(THROWN_AT) })
  const params = `event=${JSON.stringify({ to: DEAD, amount: '1001' })}`
  const called = ['run', 'src/order.ts', '--key-name', 'shop/runner', '--params', params]
  await expect(execute(shop, 'svc', ...called)).rejects.toThrow(THROWN_AT)
  const cookie = await signIn(started.triggersUrl, token.email)
  const page = await fetch(`${started.triggersUrl}/runs/${failed.id}`, { headers: { cookie } })
  expect(await page.text()).toMatch(THROWN_AT)
})
