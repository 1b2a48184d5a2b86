/**
 * Combines the declarations of ethers v5, which actions have as a global, into one file that needs neither its packages nor
 * Node's types. `npm run ethers-types` writes `shared/action/ethers.d.ts`. A test checks that it is up to date.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateDtsBundle } from 'dts-bundle-generator'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
/** Packages whose declarations are combined. */
export const ETHERS_PACKAGES: readonly string[] = [
  'ethers-v5',
  ...readdirSync(join(packages, '@ethersproject'))
    .filter((name) => name !== 'testcases')
    .map((name) => `@ethersproject/${name}`),
]

export const ETHERS_DECLARATIONS = fileURLToPath(new URL('../action/ethers.d.ts', import.meta.url))

/**
 * Replaces what the sandbox does not have: Node's timers, and a provider that the build for browsers sets to null. Renames
 * the `Event` of providers, which dts-bundle-generator merges with the `Event` of contracts.
 * @throws {Error} if a replacement no longer applies
 */
function edited(text: string): string {
  const edits: [RegExp, string][] = [
    [/NodeJS\.Timer\b/g, 'unknown'],
    [/declare class IpcProvider extends [^}]*}\n/g, 'declare const IpcProvider: null;\n'],
    [/declare class Event\$1 /g, 'declare class PolledEvent '],
    [/(?<=_events: Array<|_(?:start|stop)Event\(event: )Event\$1/g, 'PolledEvent'],
  ]
  return edits.reduce((before, [pattern, replacement]) => {
    const after = before.replaceAll(pattern, replacement)
    if (after === before) throw new Error(`the declarations of ethers v5 lack ${pattern}`)
    return after
  }, text)
}

export function ethersDeclarations(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ethers-'))
  try {
    const entry = join(folder, 'entry.ts')
    writeFileSync(entry, "export * from 'ethers-v5/lib/ethers'\n")
    const config = join(folder, 'tsconfig.json')
    const compilerOptions = {
      strict: true,
      lib: ['es2023'],
      module: 'preserve',
      types: ['node'],
      typeRoots: [join(packages, '@types')],
      noEmit: true,
      skipLibCheck: true,
      // Packages are found from here, because the entry is in a temporary folder.
      paths: { '*': [join(packages, '*')] },
    }
    writeFileSync(config, JSON.stringify({ compilerOptions }))
    const [bundle] = generateDtsBundle(
      [
        {
          filePath: entry,
          libraries: {
            inlinedLibraries: [...ETHERS_PACKAGES],
            allowedTypesLibraries: [],
            importedLibraries: [],
          },
          output: { noBanner: true, exportReferencedTypes: false },
        },
      ],
      { preferredConfigPath: config },
    )
    return `/* oxlint-disable -- declarations of ethers 5.8 (MIT License), made by shared/packaging/ethers-declarations.ts. */\n${edited(bundle!)}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) writeFileSync(ETHERS_DECLARATIONS, ethersDeclarations())
