/**
 * `npm run packages`: builds the packages of the client library and the command line, and packs them. They contain all
 * packages that they need (docs/decisions/0091-packages.md).
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'
import { ESBUILD_VERSION } from '../build/load-esbuild.ts'
import { ACTION_EXPORTS, buildActionModule } from './action-module.ts'
import { buildClient } from './build-client.ts'
import { buildCli } from './build-cli.ts'
import { chunkSizes, entrySize } from './chunk-sizes.ts'
import { clientDeclarations, testingDeclarations } from './declarations.ts'
import { CLI_PACKAGE, CLIENT_PACKAGE, NODE_MIN } from './package-names.ts'
import { bundledFiles, thirdPartyNotices } from './third-party-notices.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Manifest = Record<string, unknown> & { name: string; description: string }
type Project = {
  version: string
  license: string
  devDependencies: Record<string, string>
  dependencies: Record<string, string>
}

const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Project

/** @returns the folder of the package */
export async function clientPackage(
  outDir: string,
): Promise<{ folder: string; metafile: Metafile }> {
  const folder = emptied(join(outDir, 'client'))
  const metafile = await buildClient(join(folder, 'esm'), 'esm')
  const commonJs = await buildClient(join(folder, 'cjs'), 'cjs')
  const declarations = await clientDeclarations()
  for (const format of ['esm', 'cjs'])
    writeFileSync(join(folder, format, 'index.d.ts'), declarations)
  // Overrides the type of the package for the files in this folder.
  writeFileSync(join(folder, 'cjs', 'package.json'), '{"type":"commonjs"}\n')
  const entry = (format: string) => ({
    types: `./${format}/index.d.ts`,
    default: `./${format}/index.js`,
  })
  complete(folder, bundledFiles([metafile, commonJs]), {
    name: CLIENT_PACKAGE,
    description: 'Client library of svc: serverless functions that can hold private keys.',
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { import: entry('esm'), require: entry('cjs') },
      './package.json': './package.json',
    },
    peerDependencies: { ethers: `^${project.dependencies['ethers']}` },
    peerDependenciesMeta: { ethers: { optional: true } },
  })
  return { folder, metafile }
}

/** @returns the folder of the package */
export async function cliPackage(outDir: string): Promise<{ folder: string; metafile: Metafile }> {
  const folder = emptied(join(outDir, 'cli'))
  const dist = join(folder, 'dist')
  const [metafiles, declared, declarations] = await Promise.all([
    buildCli(dist, project.version),
    buildActionModule(join(folder, 'action')),
    testingDeclarations(),
  ])
  writeFileSync(join(dist, 'test.d.ts'), declarations)
  const contained = [...bundledFiles(metafiles), ...declared, ...sandboxPackages()]
  complete(folder, contained, {
    name: CLI_PACKAGE,
    description: 'Command line of svc: serverless functions that can hold private keys.',
    type: 'module',
    bin: { svc: 'dist/svc.js' },
    exports: {
      ...ACTION_EXPORTS,
      './test': { types: './dist/test.d.ts', default: './dist/test.js' },
      './package.json': './package.json',
    },
    peerDependencies: {
      esbuild: `~${ESBUILD_VERSION}`,
      vitest: `^${project.devDependencies['vitest']}`,
    },
    peerDependenciesMeta: { esbuild: { optional: true }, vitest: { optional: true } },
  })
  return { folder, metafile: metafiles[0] }
}

/** @returns the path of the archive */
export function pack(folder: string, destination: string): string {
  mkdirSync(destination, { recursive: true })
  const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination]
  const output = execFileSync('npm', args, { encoding: 'utf8' })
  const [{ filename }] = JSON.parse(output) as [{ filename: string }]
  return join(destination, filename)
}

/**
 * Returns a file of each package whose code is in the sandbox's template: those of ethers v5, except for those that the
 * host's cryptography replaces.
 */
function sandboxPackages(): string[] {
  const manifest = readFileSync(join(root, 'node_modules/ethers-v5/package.json'), 'utf8')
  const { dependencies } = JSON.parse(manifest) as Project
  const names = ['ethers-v5', ...Object.keys(dependencies), 'aes-js', 'bech32', 'bn.js']
  return names
    .filter((name) => name !== 'ws')
    .map((name) => join('node_modules', name, 'package.json'))
}

function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Writes everything except the code. @param contained files of other packages, whose licenses are included */
function complete(folder: string, contained: readonly string[], manifest: Manifest): void {
  const { version, license } = project
  const { name, description, ...rest } = manifest
  const engines = { node: `>=${NODE_MIN}` }
  const whole = { name, version, description, license, engines, ...rest }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(whole, null, 2)}\n`)
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(root, contained))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const source = name === CLIENT_PACKAGE ? 'client' : 'cli'
  copyFileSync(join(root, 'shared', source, 'README.md'), join(folder, 'README.md'))
}

if (import.meta.main) {
  const outDir = join(root, 'shared', 'packaging', 'packages')
  const client = await clientPackage(outDir)
  const cli = await cliPackage(outDir)
  for (const { name, gzipped } of await chunkSizes(join(client.folder, 'esm'), client.metafile))
    console.log(`${name.padEnd(28)} ${String(gzipped).padStart(7)} bytes gzipped`)
  const esm = join(client.folder, 'esm')
  console.log(`initial load: ${await entrySize(esm, client.metafile)} bytes gzipped`)
  for (const { folder } of [client, cli]) {
    const archive = pack(folder, outDir)
    console.log(`${archive}: ${statSync(archive).size} bytes`)
  }
}
