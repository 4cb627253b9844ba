import { fault } from './sampleVault';
import type { Methods, ServerView } from './types';

/** SampleServer keeps which program compares texts; one answers at port 11434. */
export class SampleServer {
  view: ServerView = { api: '', address: '', model: '' };

  methods(): Pick<Methods['Settings'], 'Server' | 'TryServer' | 'UseServer'> {
    return {
      Server: async () => this.view,
      TryServer: async ({ address }) => {
        if (!address.endsWith(':11434')) throw fault('busy', 'embedding-server-silent', 'The embedding server at {address} does not answer.', { address });
        return { dimensions: 768, millis: 21 };
      },
      UseServer: async (server) => void (this.view = server),
    };
  }
}
