package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"keepsake/app/owner"
	"keepsake/backend/core"
	"keepsake/backend/fault"
	"keepsake/backend/product"
)

// Addresses of resources.
const (
	scheme     = product.Program + "://"
	profileURI = scheme + "profile"
	memoryURI  = owner.MemoryURI
	topicURI   = scheme + "topic/"

	memoryTemplate = memoryURI + "{id}"
	topicTemplate  = topicURI + "{tag}"
)

// loadContext is the name of the prompt that has a topic.
const loadContext = "load_context"

// resources lets an assistant read memories by their addresses, as by the tools.
func (s *server) resources() {
	const data = "application/json"
	s.mcp.AddResource(&mcp.Resource{URI: profileURI, Name: "profile", Description: "What an assistant should know about the person now.", MIMEType: "text/plain"},
		func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := s.context(ctx, "")
			return contents(profileURI, "text/plain", text), err
		})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: memoryTemplate, Name: "memory", Description: "One memory.", MIMEType: data},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			id, err := named(uri, memoryURI)
			if err != nil {
				return nil, err
			}
			var d core.AgentMemoryDetail
			err = s.client.Call(ctx, "get_memory", owner.GetInput{ID: id}, &d)
			if isNotFound(err) {
				return nil, mcp.ResourceNotFoundError(uri)
			}
			return encoded(uri, d, err)
		})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: topicTemplate, Name: "topic", Description: "Memories with a tag, the newest first.", MIMEType: data},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			tag, err := named(uri, topicURI)
			if err != nil {
				return nil, err
			}
			var found core.AgentItems
			err = s.client.Call(ctx, "list_memories", owner.ListInput{Tags: []string{tag}, Limit: 50}, &found)
			return encoded(uri, found, err)
		})
}

// complete completes a tag or a topic to tags of memories that the agent may see.
func (s *server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	asked := req.Params.Ref // of a prompt it has the name, of a resource the address
	switch argument := req.Params.Argument; {
	case asked.URI == topicTemplate && argument.Name == "tag", asked.Name == loadContext && argument.Name == "topic":
		found, err := s.client.Tags(ctx, argument.Value)
		if err != nil {
			return nil, err
		}
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: found.Tags, Total: found.Total, HasMore: found.Total > len(found.Tags)}}, nil
	case asked.URI == memoryTemplate && argument.Name == "id": // nobody types one
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "There is nothing of this name that has such an argument."}
}

// named returns what an address names after its beginning, where letters may be written like %2D.
func named(uri, beginning string) (string, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(uri, beginning))
	if err != nil {
		return "", mcp.ResourceNotFoundError(uri)
	}
	return name, nil
}

func isNotFound(err error) bool {
	var told *owner.Error
	return errors.As(err, &told) && told.Code == fault.NotFound && told.Reason == "no-memory"
}

func contents(uri, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}

func encoded(uri string, value any, err error) (*mcp.ReadResourceResult, error) {
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	return contents(uri, "application/json", string(text)), err
}

// context asks for what an assistant should know.
func (s *server) context(ctx context.Context, topic string) (string, error) {
	var c core.AgentContext
	err := s.client.Call(ctx, "get_context", owner.ContextInput{Topic: topic}, &c)
	return c.Text, err
}

// prompts are what a person chooses in an assistant's own menu.
func (s *server) prompts() {
	s.mcp.AddPrompt(&mcp.Prompt{Name: "what_do_you_know_about_me", Title: "What do you know about me?", Description: "What the person lets this assistant know."},
		func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return s.prompt(ctx, "", "Tell me in a few sentences what you know about me, and what you are not told. This is what I let you know:")
		})
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: loadContext, Title: "Load context for a topic", Description: "What the person lets this assistant know, with what fits a topic first.",
		Arguments: []*mcp.PromptArgument{{Name: "topic", Description: "what will be talked about", Required: true}},
	}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return s.prompt(ctx, req.Params.Arguments["topic"], "Keep this in mind while we talk:")
	})
	s.mcp.AddPrompt(&mcp.Prompt{Name: "review_what_we_learned", Title: "Review what we learned", Description: "Propose what is worth keeping of this conversation."},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return said("Look back at this conversation. For each lasting thing that you learned about me and that search_memories does not find, call propose_memory with one plain sentence and a reason. Then list what you proposed."), nil
		})
}

func (s *server) prompt(ctx context.Context, topic, words string) (*mcp.GetPromptResult, error) {
	text, err := s.context(ctx, topic)
	if err != nil {
		return nil, err
	}
	return said(words, text), nil
}

// said is a prompt of the person's, in one message a text.
func said(texts ...string) *mcp.GetPromptResult {
	var messages []*mcp.PromptMessage
	for _, text := range texts {
		messages = append(messages, &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}})
	}
	return &mcp.GetPromptResult{Messages: messages}
}
