/** Style sheets, which esbuild imports as text. Scripts adopt them at runtime. */
declare module '*.css' {
  const text: string
  export default text
}

/** Modules that scripts import by URL path at runtime. Each module is built from the `module.ts` of a folder. */
declare module '*/scripts/editor.js' {
  export const mountEditor: (typeof import('./editor/module.ts'))['mountEditor']
}

declare module '*/scripts/charts.js' {
  export const drawChart: (typeof import('./charts/module.ts'))['drawChart']
}

declare module '*/scripts/transactions.js' {
  export const showWalletTransactions: (typeof import('./transactions/module.tsx'))['showWalletTransactions']
  export const showRunTransactions: (typeof import('./transactions/module.tsx'))['showRunTransactions']
}

declare module '*/scripts/policies.js' {
  export const showPolicyDraft: (typeof import('./policies/module.tsx'))['showPolicyDraft']
  export const showWalletPolicy: (typeof import('./policies/module.tsx'))['showWalletPolicy']
}
