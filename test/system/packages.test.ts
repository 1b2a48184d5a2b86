/**
 * Installs the packed packages in an empty folder, and uses them against a stack in each version of Node at hand: this
 * process's, the one on the PATH outside of the checkout, and those in `TEST_NODES` (paths separated by colons).
 */
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { buildAction } from '../../shared/build/build-action.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { clientPackage, cliPackage, pack } from '../../shared/packaging/build-packages.ts'
import { CLI_PACKAGE, CLIENT_PACKAGE } from '../../shared/packaging/package-names.ts'
import { blocksOf } from './docs/blocks.ts'
import { type StartedStack, startStack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const TSC_5 = createRequire(createRequire(import.meta.url).resolve('dts-bundle-generator')).resolve(
  'typescript/bin/tsc',
)
const INSTALLED_MAX_BYTES = 15 * 1024 * 1024

let started: StartedStack
let token: string
let folder: string
let app: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))
  app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"private":true}')
  writeFileSync(
    join(app, 'action.js'),
    'async function main({ wallet }) {\n  return (await Svc.Actions.getPrivateKey({ pkpId: wallet })).length\n}\n',
  )
  const packing = async () => {
    const { folder: client } = await clientPackage(folder)
    const { folder: cli } = await cliPackage(folder)
    const archives = [client, cli].map((path) => pack(path, folder))
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...archives], { cwd: app })
  }
  ;[started] = await Promise.all([startStack(), packing()])
  ;({ token } = await createApprovedToken(started.triggersUrl))
})
afterAll(async () => {
  await started?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Files of an installed package, with their sizes in bytes. */
function filesOf(name: string): { path: string; size: number }[] {
  const within = join(app, 'node_modules', name)
  return readdirSync(within, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(within.length + 1), size: readFileSync(path).length }))
}

function nodesAtHand(): string[] {
  const outside = process.env['PATH']!.split(delimiter).filter((path) => !path.startsWith(root))
  const env = { ...process.env, PATH: outside.join(delimiter) }
  const onPath = () => {
    try {
      return [execFileSync('node', ['-p', 'process.execPath'], { env, encoding: 'utf8' }).trim()]
    } catch {
      return []
    }
  }
  const given = process.env['TEST_NODES']?.split(delimiter) ?? []
  return [...new Set([process.execPath, ...onPath(), ...given])]
}

const versions = nodesAtHand().map((node, n) => ({
  node,
  home: `home-${n}`,
  version: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
}))

/** True if the version of Node can run vitest 5. */
function hasVitest(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12)
}

/** Writes the project of docs/testing.md, which has vitest and esbuild. */
function testProject(): string {
  const project = join(folder, 'tests')
  if (existsSync(project)) return project
  const packages = join(project, 'node_modules')
  // A copy, because a package imports what is beside its real path.
  cpSync(join(app, 'node_modules', CLI_PACKAGE), join(packages, CLI_PACKAGE), { recursive: true })
  for (const name of ['vitest', 'esbuild'])
    symlinkSync(join(root, 'node_modules', name), join(packages, name))
  const [action, ...tests] = blocksOf('docs/testing.md').map(({ text }) => text)
  const exchange = {
    request: { method: 'GET', url: 'https://api.example.com/price?symbol=ETH' },
    response: { status: 200, statusText: '', headers: [], body: { text: '{"price":"1"}' } },
  }
  const files = {
    'package.json': '{"private":true,"type":"module"}',
    'tsconfig.json': JSON.stringify({ extends: `${CLI_PACKAGE}/tsconfig.json`, include: ['src'] }),
    'src/action.ts': action!,
    'test/action.test.ts': tests.join('\n'),
    'test/recordings/price.json': JSON.stringify({ version: 1, exchanges: [exchange] }),
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  return project
}

describe.each([CLIENT_PACKAGE, CLI_PACKAGE])('%s', (name) => {
  it('is small, and brings neither packages, nor scripts, nor a Node', () => {
    const files = filesOf(name)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    expect(bytes).toBeLessThan(INSTALLED_MAX_BYTES)
    const manifest = JSON.parse(
      readFileSync(join(app, 'node_modules', name, 'package.json'), 'utf8'),
    )
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('scripts')
    expect(
      readdirSync(join(app, 'node_modules')).filter((entry) => !entry.startsWith('.')),
    ).toEqual([CLI_PACKAGE.split('/')[0]])
  })

  it('names the license of each package that it contains', () => {
    const notices = readFileSync(join(app, 'node_modules', name, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    const declared = name === CLI_PACKAGE ? ['ethers', '@ethersproject/providers'] : []
    for (const contained of [
      ...declared,
      'zod',
      '@phala/dcap-qvl',
      '@peculiar/x509',
      '@noble/hashes',
    ])
      expect(notices).toMatch(new RegExp(`^${contained} \\d`, 'm'))
    expect(notices).toContain('Copyright')
  })
})

describe.each(versions)('Node $version', ({ node, home, version }) => {
  /** Runs a command in the folder with the installed packages. */
  async function svc(...args: string[]): Promise<string> {
    const env = {
      HOME: join(folder, home),
      PATH: [dirname(node), process.env['PATH']].join(delimiter),
      SVC_STATE_DIR: started.stateDir,
      SVC_TOKEN: token,
    }
    mkdirSync(env.HOME, { recursive: true })
    const bin = join(app, 'node_modules', '.bin', 'svc')
    const { stdout } = await run(node, [bin, ...args], { cwd: app, env })
    return stdout
  }

  it('runs an action and verifies the deployment with the command line', async () => {
    await svc('account', 'create')
    const wallet = /0x[0-9a-fA-F]{40}/.exec(await svc('wallet', 'create', '--name', 'treasury'))![0]
    await svc('group', 'create', '--name', 'signers', '--action', 'action.js', '--all-wallets')
    await svc('key', 'create', '--name', 'runner', '--execute-in', '1')
    expect(await svc('run', 'action.js', '--params', `wallet=${wallet}`)).toContain('66')
    expect(await svc('dev', 'action.js', '--params', `wallet=${wallet}`, '--once')).toContain('66')
    // The package does not contain the local stack.
    await expect(svc('dev', 'action.js', '--state-dir', 'none')).rejects.toThrow('svc up')
    // A simulated machine is not accepted, which is an exit code.
    const verified = await svc('verify', started.baseUrl).catch(({ stdout }) => stdout)
    expect(verified).toContain('SIMULATED')
    expect(await svc('trigger', 'list')).toBeDefined()
  })

  it('compares two policies, and plans a project', async () => {
    const policy = (...messages: string[]) => ({
      version: 1,
      change_delay_s: 3600,
      rules: [
        {
          name: 'orders',
          effect: 'allow',
          kind: 'message',
          messages: messages.map((prefix) => ({ prefix })),
        },
      ],
    })
    const write = (name: string, content: object) =>
      writeFileSync(join(app, name), JSON.stringify(content))
    write('policy.json', policy('orders: ', 'refunds: '))
    write('tighter.json', policy('orders: '))
    const change = ['wallet', 'policy', 'check', 'tighter.json', '--replaces', 'policy.json']
    expect(await svc(...change)).toContain('at once')
    write('svc.json', {
      version: 1,
      name: 'packed',
      actions: { sign: 'action.js' },
      wallets: { signer: { policy: 'policy.json' } },
      groups: { signers: { actions: ['sign'], wallets: ['signer'] } },
      keys: { runner: { execute_in_groups: ['signers'] } },
    })
    expect(await svc('deploy', '--plan-only')).toContain('+ wallet packed/signer')
  })

  it('runs an action in the sandbox, with a key, a response and a fake clock', async () => {
    const code = `async function main({ wallet }) {
      const message = await (await fetch('https://a.example/')).text()
      await new Promise((resolve) => setTimeout(resolve, 60000))
      const signer = Svc.Actions.wallet({ pkpId: wallet })
      const signature = await signer.signMessage(message)
      return [new Date(), ethers.utils.verifyMessage(message, signature) === signer.address]
    }`
    writeFileSync(
      join(app, 'run-action.mjs'),
      `import { runAction, testWallet } from '${CLI_PACKAGE}/test'
      const treasury = testWallet('treasury')
      const options = { params: { wallet: treasury.address }, wallets: { treasury } }
      const fetch = { 'https://a.example/': { text: 'hello' } }
      const { response } = await runAction({ code: ${JSON.stringify(code)} }, { ...options, fetch })
      console.log(JSON.stringify(response))`,
    )
    const env = { PATH: process.env['PATH'], TZ: 'America/New_York', LANG: 'sr_Latn_RS.UTF-8' }
    const { stdout } = await run(node, ['run-action.mjs'], { cwd: app, env })
    expect(stdout).toBe('["2026-01-01T00:01:00.000Z",true]\n')
  })

  it.runIf(hasVitest(version))('runs the tests of docs/testing.md with svc test', async () => {
    const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1' }
    const bin = join(app, 'node_modules', '.bin', 'svc')
    const { stdout } = await run(node, [bin, 'test'], { cwd: testProject(), env })
    expect(stdout).toMatch(/Tests +5 passed \(5\)/)
  })

  it('builds an action with the esbuild of the project, to the same bytes as in the checkout', async () => {
    const project = join(folder, `typed-${home}`)
    const entry = join(project, 'action.ts')
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    writeFileSync(join(project, 'package.json'), '{"private":true}')
    writeFileSync(
      entry,
      `import { createHash } from 'node:crypto'
export const main = (text: string) => createHash('sha256').update(text).digest('hex')`,
    )
    const without = await svc('cid', entry).catch(({ stderr }) => stderr)
    expect(without).toContain('npm install --save-dev esbuild@')
    symlinkSync(join(root, 'node_modules/esbuild'), join(project, 'node_modules/esbuild'))
    const { code } = await buildAction(entry)
    expect(await svc('cid', entry)).toBe(`${await actionCid(code)}\n`)
  })

  const program = `async function main(createClient) {
    const client = createClient({ baseUrl: process.argv[2] })
    await client.newAccount({ account_name: 'packed' })
    const { root } = await client.verify()
    const { wallet_address } = await client.createWallet()
    console.log(client.mode, root.kind, wallet_address.length)
  }`

  it.each([
    ['ES module', 'program.mjs', `import { createClient } from '${CLIENT_PACKAGE}'`],
    ['CommonJS module', 'program.cjs', `const { createClient } = require('${CLIENT_PACKAGE}')`],
  ])('uses the client from an %s', async (_kind, file, load) => {
    writeFileSync(join(app, file), `${load}\n${program}\nmain(createClient)`)
    const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: started.stack.caFile }
    const { stdout } = await run(node, [file, started.baseUrl], { cwd: app, env })
    expect(stdout.trim()).toBe('api simulated 42')
  })
})

describe('the declarations', () => {
  const compilers = [
    ['5.9', TSC_5],
    ['7', join(root, 'node_modules/typescript/bin/tsc')],
  ] as const
  const libraries = [
    ['with', ['es2022', 'dom']],
    ['without', ['es2022']],
  ] as const

  it.each(
    compilers.flatMap(([version, tsc]) =>
      libraries.map(([word, lib]) => [version, word, tsc, lib] as const),
    ),
  )(
    'type-check strictly in TypeScript %s, %s the DOM library, without zod',
    async (version, word, tsc, lib) => {
      const name = `${version}-${word}`
      const types = readFileSync(join(root, 'test/shared/client/client.test-d.ts'), 'utf8')
      const program = types.replace('../../../shared/client/index.ts', CLIENT_PACKAGE)
      writeFileSync(join(app, `${name}.mts`), program)
      // `.cts` is a CommonJS module.
      writeFileSync(
        join(app, `${name}.cts`),
        `import { createClient, type Group, SvcError } from '${CLIENT_PACKAGE}'
        const client = createClient({ baseUrl: '' })
        export const groups: () => Promise<Group[]> = () => client.listGroups().all()
        export const isOurs = (error: unknown): error is SvcError => error instanceof SvcError`,
      )
      const compilerOptions = {
        noEmit: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        target: 'es2022',
        lib,
        module: 'nodenext',
        types: [],
      }
      const files = [`${name}.mts`, `${name}.cts`]
      const config = join(app, `${name}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, files }))
      const checked = await run(process.execPath, [tsc, '-p', config]).catch((error) => error)
      expect(checked.stdout).toBe('')
    },
  )

  it.each(compilers)('for tests have matchers, in TypeScript %s', async (_version, tsc) => {
    const project = testProject()
    const config = join(project, 'tests.json')
    const compilerOptions = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      target: 'es2023',
      module: 'nodenext',
      types: [],
    }
    const wrong = `import { runAction } from '${CLI_PACKAGE}/test'
      import { expect } from 'vitest'
      expect(await runAction('a.ts')).toFailWith(1)
      await runAction('a.ts', { fetch: { 'https://a.example/': { jsn: 1 } } })`
    writeFileSync(join(project, 'wrong.ts'), wrong)
    writeFileSync(
      config,
      JSON.stringify({ compilerOptions, files: ['test/action.test.ts', 'wrong.ts'] }),
    )
    const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((error) => error)
    const errors = stdout.split('\n').filter((line: string) => line.includes('error TS'))
    expect(errors).toEqual([
      expect.stringMatching(
        /wrong\.ts\(3,.*'number' is not assignable to parameter of type 'string'/,
      ),
      expect.stringMatching(/wrong\.ts\(4,.*'jsn' does not exist/),
    ])
  })

  it.each(compilers)(
    'for actions accept an action in TypeScript %s, without Node and the DOM',
    async (version, tsc) => {
      const project = join(app, `action-${version}`)
      mkdirSync(join(project, 'src'), { recursive: true })
      const [config, action] = blocksOf('docs/typescript.md')
        .filter(({ heading }) => heading === 'Types')
        .map(({ text }) => text)
      const types = readFileSync(join(root, 'test/origin/actions/typed/types.ts'), 'utf8')
      writeFileSync(join(project, 'tsconfig.json'), config!)
      writeFileSync(join(project, 'src', 'action.ts'), action!)
      writeFileSync(join(project, 'src', 'types.ts'), types)
      writeFileSync(join(project, 'src', 'index.ts'), "export * from './types.ts'\n")
      const strict = ['--skipLibCheck', 'false', '--exactOptionalPropertyTypes']
      const check = () =>
        run(process.execPath, [tsc, '-p', project, ...strict]).catch((error) => error)
      expect((await check()).stdout).toBe('')
      writeFileSync(join(project, 'src', 'node.ts'), 'export const env = process.env\n')
      expect((await check()).stdout).toContain("Cannot find name 'process'")
    },
  )
})
