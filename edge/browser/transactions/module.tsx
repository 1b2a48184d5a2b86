/**
 * Transactions of wallets and runs. The console and the page of a run load this module from `/scripts/transactions.js`
 * when they first show transactions. The module has its own copy of Preact.
 */
import { render } from 'preact'
import { readExplorers } from './read-explorers.ts'
import { RunTransactions, type RunTransactionsProps } from './run-transactions.tsx'
import css from './transactions.css'
import { WalletTransactions, type WalletTransactionsProps } from './wallet-transactions.tsx'

const styleSheet = new CSSStyleSheet()
styleSheet.replaceSync(css)

function adoptStyles(): void {
  if (!document.adoptedStyleSheets.includes(styleSheet))
    document.adoptedStyleSheets.push(styleSheet)
}

/** Shows the transactions of a wallet. @returns a function that removes them */
export function showWalletTransactions(
  root: HTMLElement,
  props: Omit<WalletTransactionsProps, 'explorers'>,
): () => void {
  adoptStyles()
  render(<WalletTransactions {...props} explorers={readExplorers()} />, root)
  return () => render(null, root)
}

/** Shows the transactions of a run. Another call for the same element updates them. */
export function showRunTransactions(
  root: HTMLElement,
  props: Omit<RunTransactionsProps, 'explorers'>,
): void {
  adoptStyles()
  render(<RunTransactions {...props} explorers={readExplorers()} />, root)
}
