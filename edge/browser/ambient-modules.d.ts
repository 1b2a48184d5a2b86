/** esbuild imports style sheets as text, and the scripts adopt them. */
declare module '*.css' {
  const text: string
  export default text
}

/** Modules that scripts import at runtime by URL path, built from a folder's `module.ts`. */
declare module '*/scripts/editor.js' {
  export const mountEditor: (typeof import('./editor/module.ts'))['mountEditor']
}

declare module '*/scripts/charts.js' {
  export const drawChart: (typeof import('./charts/module.ts'))['drawChart']
}
