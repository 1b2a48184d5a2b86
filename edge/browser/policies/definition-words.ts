import type { PolicyDocument } from '../../../shared/policies/document.ts'
import { chainName } from './deployments.ts'

/** Describes the lists and tokens of a policy, because its rules refer to them only by name. */
export function definitionWords({ lists = [], tokens = [] }: PolicyDocument): string[] {
  return [
    ...lists.map(({ name, addresses }) => `@${name}: ${addresses.join(', ')}.`),
    ...tokens.map(({ name, chain, address, standard, decimals }) => {
      const facts = [
        ...(standard === undefined ? [] : [standard.replace('erc', 'ERC-')]),
        ...(decimals === undefined ? [] : [`${decimals} decimals`]),
      ]
      const details = facts.length === 0 ? '' : `, ${facts.join(', ')}`
      return `${name}: ${address} on ${chainName(chain)}${details}.`
    }),
  ]
}
