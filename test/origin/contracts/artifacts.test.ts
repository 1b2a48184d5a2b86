import { readFileSync } from 'node:fs'
import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import artifacts from '../../../origin/contracts/artifacts.json' with { type: 'json' }
import governanceArtifact from '../../../origin/contracts/governance/artifact.json' with { type: 'json' }
import { compileContracts, compileGovernance } from '../../../origin/contracts/compile.ts'
import {
  artifactsOf,
  governanceArtifactOf,
  mergedAbi,
  renderAbi,
  renderGovernanceAbi,
} from '../../../origin/contracts/generate-abi.ts'
import { PERMISSION_IDS_MAX } from '../../../shared/limits.ts'

const contracts = compileContracts()
const governance = compileGovernance()
const text = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('artifacts.json matches the compiled contracts', () => {
  expect(artifacts, 'run `npm run abi`').toEqual(artifactsOf(contracts))
})

test('the ABI in shared matches the compiled contracts', () => {
  expect(text('shared/abi/account-config.ts'), 'run `npm run abi`').toBe(renderAbi(contracts))
})

test('the governance contract and its ABI in shared match the compiled contract', () => {
  expect(governanceArtifact, 'run `npm run abi`').toEqual(governanceArtifactOf(governance))
  const abi = text('shared/abi/governance.ts')
  expect(abi, 'run `npm run abi`').toBe(renderGovernanceAbi(governance))
})

test('no two errors, events or functions of the facets share a selector', () => {
  const abi = new Interface(mergedAbi(contracts))
  const selectors = abi.fragments.flatMap((fragment) =>
    'selector' in fragment ? [fragment.selector] : [],
  )
  expect(new Set(selectors).size).toBe(selectors.length)
})

test('every contract fits into the 24,576 bytes that a chain allows', () => {
  for (const { bytecode } of [...Object.values(contracts), governance]) {
    expect((bytecode.length - 2) / 2).toBeLessThan(24_576)
  }
})

test('the contract and the API allow the same number of IDs in an array', () => {
  expect(text('origin/contracts/InputLimits.sol')).toContain(`IDS_MAX = ${PERMISSION_IDS_MAX};`)
})
