/**
 * `npm run release -- --output <folder> [--sign-key <file>] [--snapshot]`: builds everything that a version consists
 * of, reproducibly (docs/deploy.md#releases).
 */
import { execFileSync } from 'node:child_process'
import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import {
  createWriteStream,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Metafile } from 'esbuild'
import { clientPackage, cliPackage, pack } from '../../shared/packaging/build-packages.ts'
import { listedFiles } from '../../shared/packaging/checksums.ts'
import { buildWithWrangler } from '../../shared/packaging/run-wrangler.ts'
import { sourceCommit } from '../../shared/packaging/source-commit.ts'
import { bundledFiles, thirdPartyNotices } from '../../shared/packaging/third-party-notices.ts'
import { buildSandboxBundles } from '../actions/bundles.ts'
import { COMMIT_FILE } from '../version.ts'
import { byBytes, writeLayer } from './image/layer.ts'
import { requiredPackages, runtimeFiles } from './image/runtime-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const run = (command: string, args: readonly string[], cwd = root) =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function release(): Promise<void> {
  const { values } = parseArgs({
    options: {
      output: { type: 'string', default: 'release' },
      'sign-key': { type: 'string' },
      snapshot: { type: 'boolean', default: false },
    },
  })
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string
  }
  const commit = await sourceCommit(root)
  if (!values.snapshot) requireTag(`v${version}`)
  const key = values['sign-key'] === undefined ? undefined : readSigningKey(values['sign-key'])
  // `mkdir` fails if the folder exists, so that no files are overwritten.
  mkdirSync(values.output)
  const output = resolve(values.output)
  const scratch = mkdtempSync(join(tmpdir(), 'svc-release-'))
  try {
    const packages = [await clientPackage(scratch), await cliPackage(scratch)]
    for (const { folder } of packages) pack(folder, output)
    await buildSandboxBundles()
    const generated = { [COMMIT_FILE]: `${commit}\n` }
    const layer = await writeLayer(
      root,
      runtimeFiles(root),
      createWriteStream(join(output, 'origin-layer.tar')),
      generated,
    )
    const worker = await buildWorker(join(scratch, 'worker'), join(output, 'worker.tar'))
    const parts = { version, commit, origin_layer: layer.digest }
    writeFileSync(join(output, 'release.json'), `${JSON.stringify(parts, null, 2)}\n`)
    writeFileSync(join(output, 'sbom.cdx.json'), billOfMaterials())
    const installed = requiredPackages(root).map((path) => join(path, 'package.json'))
    const files = [
      ...installed,
      ...worker,
      ...packages.flatMap((built) => bundledFiles([built.metafile])),
    ]
    writeFileSync(join(output, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(root, files))
    const sums = checksums(output)
    writeFileSync(join(output, 'SHA256SUMS'), sums)
    if (key) writeFileSync(join(output, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums), key))
    console.log(`${sums}\nlayer ${layer.digest}`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** @throws {Error} unless the checkout is exactly the tagged commit */
export function requireTag(tag: string, checkout = root): void {
  if (run('git', ['status', '--porcelain'], checkout) !== '')
    throw new Error('the checkout has changes; commit or remove them, or use --snapshot')
  if (!run('git', ['tag', '--points-at', 'HEAD'], checkout).split('\n').includes(tag))
    throw new Error(
      `HEAD does not have the tag ${tag} of package.json's version; use --snapshot to build anyway`,
    )
}

/** @throws {Error} unless the file has a private Ed25519 key as PEM */
export function readSigningKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file))
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `${file}: expected an Ed25519 key, as made by openssl genpkey -algorithm ed25519`,
    )
  return key
}

/** @returns paths of the files that the Worker is built from */
async function buildWorker(folder: string, tar: string): Promise<string[]> {
  const metafile = join(folder, 'metafile.json')
  await buildWithWrangler(root, ['--outdir', folder, '--metafile', metafile])
  const { inputs } = JSON.parse(readFileSync(metafile, 'utf8')) as Metafile
  // Source maps and the metafile contain paths of this machine.
  const files = readdirSync(folder).filter((file) => !/\.map$|^metafile\.json$|^README/.test(file))
  await writeLayer(folder, files, createWriteStream(tar))
  const scripts = globSync('edge/browser/*/script.txt.sha256', { cwd: root })
  return [
    ...Object.keys(inputs).filter((path) => existsSync(join(root, path))),
    ...scripts.flatMap((list) => listedFiles(join(root, list))),
  ]
}

type Component = { 'bom-ref': string; properties?: { name: string; value: string }[] }

/**
 * Lists the production packages in the CycloneDX format. npm's own list contains a random number, the time, and the
 * name of the folder, and lacks packages that development also needs if npm leaves out development itself.
 */
export function billOfMaterials(): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const whole = JSON.parse(run('npm', args)) as {
    serialNumber: string
    metadata: { timestamp: string; component: object }
    components: Component[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const { serialNumber: _, metadata, ...rest } = whole
  const { timestamp: _time, component, ...constant } = metadata
  const components = whole.components.filter(
    ({ properties = [] }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  )
  const development = new Set(whole.components.map((one) => one['bom-ref']))
  for (const one of components) development.delete(one['bom-ref'])
  const dependencies = whole.dependencies
    .filter(({ ref }) => !development.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((on) => !development.has(on)),
    }))
  const named = { ...constant, component: { ...component, name: 'svc' } }
  return `${JSON.stringify({ ...rest, metadata: named, components, dependencies }, null, 2)}\n`
}

/** In the format of `sha256sum`. */
function checksums(folder: string): string {
  return readdirSync(folder)
    .toSorted(byBytes)
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
    .join('')
}

if (import.meta.main)
  try {
    await release()
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    console.error(`release: ${stderr || message}`)
    process.exitCode = 1
  }
