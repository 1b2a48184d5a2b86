/** What a script gets that imports it when a chart is in view. */
declare module '/scripts/charts.js' {
  export const drawChart: (typeof import('./module.ts'))['drawChart']
}
