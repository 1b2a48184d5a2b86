/** Builds the module that actions in TypeScript import, `shared/action/`, for the package. */
import { execFile } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { ETHERS_PACKAGES } from './ethers-declarations.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Entries of the package's `exports`. `preset.json` is a configuration of TypeScript that projects extend. */
export const ACTION_EXPORTS = {
  './action': { types: './action/index.d.ts', default: './action/index.js' },
  './tsconfig.json': './action/preset.json',
} as const

/**
 * Writes the module, its declarations, and the preset.
 * @returns the paths of the files from other packages that the declarations contain
 */
export async function buildActionModule(outDir: string): Promise<string[]> {
  await build({
    entryPoints: [here('../action/index.ts')],
    outdir: outDir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
  })
  const source = here('../action')
  const tsc = here('../../node_modules/typescript/bin/tsc')
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outDir]
  await promisify(execFile)(process.execPath, [tsc, '-p', source, ...emit])
  // tsc does not emit declarations that are written by hand.
  for (const name of readdirSync(source).filter((file) => file.endsWith('.d.ts')))
    copyFileSync(join(source, name), join(outDir, name))
  for (const name of readdirSync(outDir).filter((file) => file.endsWith('.d.ts'))) {
    const path = join(outDir, name)
    const text = readFileSync(path, 'utf8').replaceAll(/(?<=from '\.\/[a-z-]+)\.ts(?=')/g, '.js')
    writeFileSync(path, name === 'index.d.ts' ? `import './globals.js';\n${text}` : text)
  }
  copyFileSync(join(source, 'preset.json'), join(outDir, 'preset.json'))
  return ETHERS_PACKAGES.map((name) => here(`../../node_modules/${name}/package.json`))
}
